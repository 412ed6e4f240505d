import type { HookFile } from "@quasar/hookfile";
import { cleanupHookFiles, parseRetention } from "@quasar/hookfile/folders";
import { cleanLine, jsonLine, count, firstLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { tableLines } from "../../shared/output/table.ts";
import { nextLines, type View } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { loadConfig } from "../config/load.ts";
import { retentionPolicy } from "../config/task-config.ts";
import { type Installation, openInstallation } from "../installation.ts";
import { ago } from "../output/hook-lines.ts";
import type { CleanupLine } from "../schemas/others.ts";

/** `atlas cleanup`, as it was called before: only with `--hooks`, so that nothing is removed unasked. */
export function cleanupCommand(given: Given): ExitCode {
  if (given.hooks !== true) {
    throw new CliError("ERR_USAGE", "what is to be cleaned up? Nothing is without a flag", {
      next: ["atlas prune --dry-run", "atlas prune"],
    });
  }
  return pruneCommand({ ...given, olderThan: given.retention });
}

/** `atlas prune`: removes hook files of tasks that ended longer ago than they are kept. */
export function pruneCommand({ olderThan, json, ...given }: Given): ExitCode {
  const dryRun = given.dryRun === true;
  const installation = openInstallation();
  const { workspacesDir, now } = installation;
  const policy =
    olderThan === undefined ? ownPolicy(installation) : everything(parseRetention(olderThan));
  const receiptsHead = (hook: HookFile) => installation.keys.head(hook);
  const report = cleanupHookFiles({ workspacesDir, policy, dryRun, now: now(), receiptsHead });
  const exit = report.skipped.some(({ reason }) => reason === "failed") ? EXIT.error : EXIT.ok;
  const flags = olderThan === undefined ? "" : ` --older-than ${olderThan}`;
  const next = dryRun && report.removed.length > 0 ? [`atlas prune${flags}`] : [];
  if (json === true) {
    const tasks = report.removed.map(({ hook, ...folder }) => ({
      ...folder,
      state: hook?.state,
    }));
    const skipped = report.skipped.map(({ error, ...folder }) => ({
      ...folder,
      message: wordsOf(error),
    }));
    const { completed: completedMs, failed: failedMs, abandoned: abandonedMs } = policy;
    const line = { dryRun, policy: { completedMs, failedMs, abandonedMs }, tasks, skipped };
    const printed = result("prune", line, exit, next) satisfies CleanupLine;
    process.stdout.write(jsonLine(printed));
    return exit;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    ...reportLines(report, dryRun, now().getTime(), view),
    ...nextLines(next, view),
  ]);
  return exit;
}

/** The user's own settings: how long their tasks are kept is not for a repository to say. */
function ownPolicy({ env, home }: Installation): ReturnType<typeof retentionPolicy> {
  const options = { flags: {}, env, cwd: process.cwd(), root: undefined, home, trust: false };
  return retentionPolicy(loadConfig(options).settings);
}

function everything(ms: number): ReturnType<typeof retentionPolicy> {
  return { completed: ms, failed: ms, abandoned: ms };
}

type Report = ReturnType<typeof cleanupHookFiles>;

function reportLines(
  { removed, skipped }: Report,
  dryRun: boolean,
  now: number,
  view: View,
): string[] {
  const rows = removed.map(({ taskId, workspaceId, hook }) => {
    const { state = "removed before", updatedAt, title = "" } = hook ?? {};
    return [
      taskId,
      workspaceId,
      state,
      updatedAt === undefined ? "" : ago(updatedAt, now),
      firstLine(title),
    ];
  });
  const head = ["task", "workspace", "state", "changed", "what"];
  const table =
    rows.length === 0
      ? []
      : tableLines(
          head,
          rows,
          head.map(() => "left" as const),
          view,
        );
  const verb = dryRun ? "would be removed" : "removed";
  return [
    view.paint("bold", `${count(removed.length, "hook file")} ${verb}`),
    ...table,
    ...skipped.map(({ taskId, ...why }) => `  kept ${cleanLine(taskId)}: ${reasonText(why)}`),
  ];
}

function reasonText({
  reason,
  error,
}: Pick<Report["skipped"][number], "reason" | "error">): string {
  if (reason === "in_use") return "in use";
  return `${reason === "corrupt" ? "nothing of it can be believed" : "it could not be removed"}: ${wordsOf(error) ?? ""}`;
}

function wordsOf(error: unknown): string | undefined {
  return error instanceof Error ? cleanLine(error.message) : undefined;
}
