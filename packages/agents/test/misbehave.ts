// An agent that does what agents do at their worst; the first argument says which.
import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const MB = 2 ** 20;
/** Milliseconds: it is ended before. */
const LONG = 600_000;

async function write(bytes: number, text: string): Promise<void> {
  for (let sent = 0; sent < bytes; sent += text.length) {
    if (!process.stdout.write(text)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
}

const WAYS: Readonly<Record<string, () => unknown>> = {
  hang: () => sleep(LONG),
  async ignoreSignals() {
    process.on("SIGINT", () => process.stdout.write("no\n"));
    process.on("SIGTERM", () => process.stdout.write("no\n"));
    process.stdout.write("ready\n");
    await sleep(LONG);
  },
  async polite() {
    process.on("SIGINT", () => {
      process.stdout.write("my last words\n");
      process.exit(0);
    });
    process.stdout.write("ready\n");
    await sleep(LONG);
  },
  // Says something more whenever its file is touched, six times in all.
  async chatty() {
    for (let said = 0; said < 6; said += 1) {
      while (!existsSync(`go-${said}`)) await sleep(5);
      process.stdout.write("still here\n");
    }
  },
  // Its last words are still in the pipe when it has gone.
  burst() {
    process.stdout.write(`${"x".repeat(1023)}\n`.repeat(2048), () => process.exit(0));
  },
  flood: () => write(100 * MB, `${"x".repeat(65_535)}\n`),
  long: () => write(Number(process.argv[3]) * MB, `${"The quick brown fox. ".repeat(MB / 21)}\n`),
  async line() {
    await write(100 * MB, "x".repeat(65_536));
    process.stdout.write("\nthe end\n");
  },
  async stderr() {
    process.stderr.write("first\n");
    process.stderr.write("y".repeat(4 * MB));
    process.stderr.write("\nlast words\n");
    process.exitCode = 1;
  },
  // Ends, and leaves a child in a session of its own that holds the pipe.
  holder() {
    const child = spawn(process.execPath, [import.meta.filename, "hang"], {
      detached: true,
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.unref();
    process.stdout.write("done\n");
    process.exit(0);
  },
  // Leaves a child without the run's id, but in the agent's group.
  shedder() {
    const child = spawn(process.execPath, [import.meta.filename, "hang"], {
      env: {},
      stdio: "ignore",
    });
    child.unref();
    process.stdout.write(`${child.pid}\n`);
    process.exit(0);
  },
  async deafening() {
    process.stdin.destroy();
    process.stdout.write("I do not listen\n");
    await sleep(100);
  },
  garbage() {
    process.stdout.write(randomBytes(200_000));
  },
  environment: () => process.stdout.write(JSON.stringify(process.env)),
};

process.stdout.on("error", () => process.exit(1));
await WAYS[process.argv[2] ?? ""]?.();
