import { spawn } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type Place, QUASAR } from "../blackbox/place.ts";

/** A line that `quasar --json` printed. */
export type Line = Readonly<Record<string, unknown>> & { readonly type: string };

export interface Guest {
  /** For the machine's own files. */
  readonly scratch: string;
  /** Where its disk is mounted, inside and outside. */
  readonly disk: string;
  readonly at: Place;
  /** Whether git, in the guest, leaves its syncs out: then a cut has to be seen to lose something. */
  readonly withoutGitSyncs: boolean;
  /** Scripts of the runs that it does one after the other. */
  readonly scripts: readonly string[];
}

/** Writes the program that the guest starts with, and returns its path. */
export function writeGuest({ scratch, disk, at, withoutGitSyncs, scripts }: Guest): string {
  const bin = join(scratch, "bin");
  mkdirSync(bin, { recursive: true });
  const { PATH = "" } = process.env;
  if (withoutGitSyncs) {
    const git = `#!/bin/sh\nPATH=${quote(PATH)} exec git -c core.fsync=none "$@"\n`;
    writeFileSync(join(bin, "git"), git, { mode: 0o755 });
  }
  const env = Object.entries({ ...at.env, PATH: `${bin}:${PATH}` });
  const runs = scripts.map((script, index) => {
    const agent = quote(`scripted:${script}`);
    const task = `Write number ${index + 1}.`;
    return `node ${quote(QUASAR)} run ${quote(task)} --json --coder ${agent} --reviewer ${agent}`;
  });
  const program = join(scratch, "init.sh");
  const lines = [
    "#!/bin/sh",
    "mount -t proc proc /proc; mount -t sysfs sys /sys; mount -t tmpfs tmp /dev/shm 2> /dev/null",
    `mount -t ext4 /dev/ubda ${quote(disk)}`,
    ...env.map(([name, value]) => `export ${name}=${quote(value)}`),
    `cd ${quote(at.repo)}`,
    ...runs.map((run) => `${run} 2> /dev/null`),
    "sleep 1000",
  ];
  writeFileSync(program, `${lines.join("\n")}\n`, { mode: 0o755 });
  return program;
}

function quote(word: string): string {
  return `'${word.replaceAll("'", "'\\''")}'`;
}

export interface CutOptions {
  readonly scratch: string;
  readonly program: string;
  readonly image: string;
  /** After the first line that the guest prints, in milliseconds. */
  readonly cutAfterMs: number;
}

/**
 * Boots User-Mode Linux with this machine's root and a disk of its own, and kills it after a while:
 * what the guest's kernel had not yet written is gone, as when the power fails.
 *
 * @returns what the guest was seen to print before.
 */
export async function cutPower(options: CutOptions): Promise<readonly Line[]> {
  const { scratch, program, image, cutAfterMs } = options;
  const args = [
    ...["mem=768M", "quiet", `uml_dir=${scratch}`, `init=${program}`, `ubd0=${image}`],
    ...["root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw", "con=null", "con0=null,fd:1"],
  ];
  const machine = spawn("linux.uml", args, {
    stdio: ["ignore", "pipe", "ignore"],
    detached: true, // in a group of its own, to be ended whole
    env: { HOME: scratch },
  });
  const closed = new Promise((resolve) => machine.once("close", resolve));
  const lines: Line[] = [];
  let rest = "";
  const begun = new Promise<void>((resolve, reject) => {
    machine.once("error", reject);
    machine.once("close", () => reject(new Error("the guest ended by itself")));
    machine.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      const parts = `${rest}${chunk}`.split("\n");
      rest = parts.pop() ?? "";
      for (const line of parts.filter((part) => part.startsWith("{"))) {
        lines.push(JSON.parse(line) as Line);
        resolve();
      }
    });
  });
  await begun;
  await sleep(cutAfterMs);
  process.kill(-(machine.pid ?? 0), "SIGKILL");
  await closed;
  return lines;
}
