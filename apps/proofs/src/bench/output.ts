import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { root } from "../workspace.ts";
import { aRepository, aScript } from "./place.ts";
import type { Row } from "./row.ts";

const quasar = `${root}apps/cli/dist/main.js`;

/** A gigabyte in lines of 1 byte to 1 MiB. */
const PRINTS = `
const size = 2 ** 20;
const bytes = Buffer.alloc(size, "The quick brown fox jumps over the lazy dog. ");
for (let left = 2 ** 30, n = 0; left > 0; n += 1) {
  const length = Math.min(left, n % 2 === 0 ? size : 1 + ((n * 7919) % size));
  bytes[length - 1] = 10;
  for (let at = 0; at < length; ) {
    try {
      at += require("fs").writeSync(1, bytes, at, length - at);
    } catch (error) {
      if (error.code !== "EAGAIN") throw error;
    }
  }
  bytes[length - 1] = 46;
  left -= length;
}`;

/** The most memory that each process of a turn has which prints a gigabyte. */
export async function outputRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-output-"));
  try {
    const at = aRepository(scratch, "output");
    const coder = aScript(
      scratch,
      "prints",
      `date > work.txt; exec ${process.execPath} -e '${PRINTS}'`,
    );
    const reviewer = aScript(scratch, "approves", "echo 'APPROVED: fine'");
    const args = ["run", "Print.", "--max-budget", "0", "--coder", `command:${coder}`];
    const runner = spawn(process.execPath, [quasar, ...args, "--reviewer", `command:${reviewer}`], {
      cwd: at.repository,
      env: at.env,
      stdio: ["ignore", "ignore", "inherit"],
    });
    let [ofRunner, ofSupervisor] = [0, 0];
    const pid = runner.pid ?? 0;
    while (runner.exitCode === null && runner.signalCode === null) {
      ofRunner = Math.max(ofRunner, peakMb(pid));
      ofSupervisor = Math.max(ofSupervisor, ...supervisorsOf(pid).map(peakMb));
      await sleep(50);
    }
    if (runner.exitCode !== 0) throw new Error(`the run ended with ${runner.exitCode}`);
    return [
      { what: "a turn of 1 GB: peak MB of the runner", figure: ofRunner, atMost: 120 },
      { what: "a turn of 1 GB: peak MB of its supervisor", figure: ofSupervisor, atMost: 120 },
    ];
  } finally {
    rmSync(scratch, { recursive: true, maxRetries: 5 });
  }
}

/** The programs of ours that it has started. */
function supervisorsOf(pid: number): readonly number[] {
  const children = read(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);
  return children.filter((child) => read(child, "cmdline").includes("supervisor.js"));
}

/** 0: there is no such process any more. */
function peakMb(pid: number): number {
  return Number(/^VmHWM:\s+(\d+)/mu.exec(read(pid, "status"))?.[1] ?? 0) / 1024;
}

function read(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
