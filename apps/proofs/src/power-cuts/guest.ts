import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { QUASAR } from "../blackbox/place.ts";
import { type Workspace, quote } from "./victim.ts";

/** A line that `quasar --json` printed. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Guest {
  /** For the machine's own files. */
  readonly scratch: string;
  /** Where its disk is mounted, inside and outside. */
  readonly disk: string;
  readonly workspace: Workspace;
  /** Whether git and `sync`, in the guest, sync nothing: then a cut has to be seen to lose something. */
  readonly withoutSyncs: boolean;
}

/** Writes the program that works until the power fails, and returns its path. */
export function writeWork(guest: Guest, commands: readonly string[]): string {
  return writeProgram(guest, "work", [...commands, "sleep 1000"]);
}

/** Writes the program that continues with what was cut off, once the power is back. */
export function writeResume(guest: Guest, command: string): string {
  const left = `echo "{\\"type\\":\\"left\\",\\"code\\":$?}"`;
  const off = ["/bin/sync", "echo o > /proc/sysrq-trigger", "sleep 1000"];
  return writeProgram(guest, "resume", [command, left, ...off]);
}

function writeProgram(guest: Guest, name: string, commands: readonly string[]): string {
  const { scratch, disk, workspace, withoutSyncs } = guest;
  const bin = join(scratch, "bin");
  mkdirSync(bin, { recursive: true });
  const { PATH = "" } = process.env;
  if (withoutSyncs) {
    const git = `#!/bin/sh\nPATH=${quote(PATH)} exec git -c core.fsync=none "$@"\n`;
    writeFileSync(join(bin, "git"), git, { mode: 0o755 });
    writeFileSync(join(bin, "sync"), "#!/bin/sh\n", { mode: 0o755 });
  }
  const env = Object.entries({ ...workspace.env, PATH: `${bin}:${PATH}` });
  const program = join(scratch, `${name}.sh`);
  const lines = [
    "#!/bin/sh",
    "mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs tmp /dev/shm 2> /dev/null",
    `mount -t ext4 /dev/ubda ${quote(disk)}`,
    ...env.map(([variable, value]) => `export ${variable}=${quote(value)}`),
    `cd ${quote(workspace.cwd)}`,
    `quasar() { node ${quote(QUASAR)} "$@" 2> /dev/null; }`,
    ...commands,
  ];
  writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
  return program;
}

/** A moment that does not depend on how fast the machine is. */
export interface Cut {
  /** Once the guest has printed so many lines … */
  readonly lines: number;
  /** … and so many milliseconds have passed since. */
  readonly ms: number;
}

export interface BootOptions {
  readonly scratch: string;
  readonly program: string;
  readonly image: string;
  /** When the power fails. @default it ends by itself */
  readonly cut?: Cut | undefined;
}

/**
 * Boots User-Mode Linux with this machine's root and a disk of its own, and kills it after a while:
 * what the guest's kernel had not yet written is gone, as when the power fails.
 *
 * @returns what the guest was seen to print.
 */
export async function boot(options: BootOptions): Promise<readonly Line[]> {
  const { scratch, program, image, cut } = options;
  const args = [
    ...["mem=768M", "quiet", `uml_dir=${scratch}`, `init=${program}`, `ubd0=${image}`],
    ...["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw", "con=null", "con0=null,fd:1"],
  ];
  // On one processor: its processes take turns, and would wait for a busy machine at each.
  const machine = spawn("taskset", ["--cpu-list", "0", "linux.uml", ...args], {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true, // in a group of its own, to be ended whole
    env: { HOME: scratch },
  });
  const closed = once(machine, "close");
  const end = (): void => {
    process.kill(-(machine.pid ?? 0), "SIGKILL");
  };
  process.once("exit", end); // it is not to outlive a proof that is stopped
  const lines: Line[] = [];
  let rest = "";
  const begun = new Promise<void>((resolve) => {
    machine.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = `${rest}${chunk}`.split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts.filter((part) => part.startsWith("{"))) {
        lines.push(JSON.parse(line) as Line);
        if (lines.length === cut?.lines) resolve();
      }
    });
  });
  await Promise.race([begun, closed, sleep(LONG_MS, undefined, { ref: false })]);
  if (cut !== undefined) await sleep(cut.ms);
  if (machine.exitCode === null && machine.signalCode === null) end();
  await closed;
  process.off("exit", end);
  if (lines.length === 0) throw new Error("the guest printed nothing");
  return lines;
}

/** A guest that does not end by itself by then is stuck. */
const LONG_MS = 600_000;
