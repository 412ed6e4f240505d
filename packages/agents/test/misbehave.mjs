// An agent that does what agents do at their worst; the first argument says which.
import { spawn } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";

const MB = 2 ** 20;

async function write(bytes, text) {
  for (let sent = 0; sent < bytes; sent += text.length) {
    if (!process.stdout.write(text)) {
      await new Promise((resolve) => process.stdout.once("drain", resolve));
    }
  }
}

const WAYS = {
  hang: () => sleep(60_000),
  async deaf() {
    process.on("SIGINT", () => process.stdout.write("no\n"));
    process.on("SIGTERM", () => process.stdout.write("no\n"));
    process.stdout.write("ready\n");
    await sleep(60_000);
  },
  async polite() {
    process.on("SIGINT", () => {
      process.stdout.write("my last words\n");
      process.exit(0);
    });
    process.stdout.write("ready\n");
    await sleep(60_000);
  },
  flood: () => write(100 * MB, `${"x".repeat(65_535)}\n`),
  line: () => write(100 * MB, "x".repeat(65_536)),
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
    const bytes = Buffer.from({ length: 200_000 }, () => Math.floor(Math.random() * 256));
    process.stdout.write(bytes);
  },
  environment: () => process.stdout.write(JSON.stringify(process.env)),
};

process.stdout.on("error", () => process.exit(1));
await WAYS[process.argv[2]]();
