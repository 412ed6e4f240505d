import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { until } from "./until.ts";

/** Of what processes of one machine see alone. */
const FLAGS = ["--pid", "--uts", "--mount"];

/** The first process of a machine. The cgroups of all machines are the same, so that it sees none. */
const INIT = `mount -t tmpfs none /sys/fs/cgroup
echo "$1" > /proc/sys/kernel/hostname
while :; do sleep 1000 & wait; done`;

/** Whether this user may make them. */
export function hasNamespaces(): boolean {
  return process.getuid?.() === 0;
}

/**
 * Begins a machine: its processes see those of no other machine, and all end with its first one.
 *
 * @returns The id of that one.
 */
export async function beginNamespace(
  name: string,
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<number> {
  const args = [...FLAGS, "--fork", "--mount-proc", "--kill-child", "sh", "-c", INIT, "init", name];
  const { pid } = spawn("unshare", args, { cwd, env, stdio: "ignore", detached: true });
  return until(`the machine ${name}`, 5000, () => {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
    return children === "" ? undefined : Number(children.split(" ")[0]);
  });
}

/** The command that runs another one there. */
export function inNamespace(init: number, command: readonly string[]): readonly string[] {
  return ["nsenter", "--target", `${init}`, ...FLAGS, "--", ...command];
}
