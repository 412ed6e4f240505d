import { type Finding, ok, problem, warning } from "./finding.ts";

/** With fewer, git and Node themselves fail; agents and builds want many more. */
const FEW = { problem: 64, warning: 1024 };

const NEXT: readonly string[] = [
  "ulimit -n 4096   # in the shell that starts it",
  "where that is refused: nofile in /etc/security/limits.conf, or LimitNOFILE of a service",
];

/** @param limit - How many files a process may have open; `undefined`: nobody can know. */
export function openFilesFindings(limit: number | undefined): readonly Finding[] {
  if (limit === undefined) return [];
  const files =
    limit === Number.POSITIVE_INFINITY ? "any number of" : limit.toLocaleString("en-US");
  const message = `a process may have ${files} files open`;
  if (limit < FEW.problem) return [problem("limits", `${message}: too few`, NEXT)];
  if (limit < FEW.warning) return [warning("limits", `${message}: few for an agent`, NEXT)];
  return [ok("limits", message)];
}
