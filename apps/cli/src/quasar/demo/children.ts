import { type ChildProcess, execFile, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { type outputFacts, reportedBy } from "../../shared/facts/output.ts";
import type { OutputRecord } from "../../shared/output/record.ts";

type Printed = ReturnType<typeof outputFacts>;

/** Where the demo's programs run, and with which environment: nothing of the user's reaches in. */
export interface DemoPlace {
  readonly folder: string;
  readonly repository: string;
  readonly env: Readonly<Record<string, string>>;
}

export interface Finished {
  readonly exitCode: number | undefined;
  readonly output: string;
}

const run = promisify(execFile);

/** Runs a program to its end and takes what it prints; a failure is a result too. */
export async function finish(place: DemoPlace, file: string, args: string[]): Promise<Finished> {
  const options = { cwd: place.repository, env: place.env, maxBuffer: 1 << 20 };
  try {
    const { stdout } = await run(file, args, options);
    return { exitCode: 0, output: stdout };
  } catch (error) {
    const { code, stdout } = error as { code?: unknown; stdout?: unknown };
    if (typeof code !== "number") throw error;
    return { exitCode: code, output: typeof stdout === "string" ? stdout : "" };
  }
}

/** A `quasar` of its own, as a user would start it. */
export interface QuasarChild {
  readonly process: ChildProcess;
  /** Exit code; `undefined` when it was killed. */
  readonly ended: Promise<number | undefined>;
}

const MAIN = fileURLToPath(new URL("./main.js", import.meta.url));

/** Starts `quasar … --json` and hands on each record that it prints. */
export function startQuasar(
  place: DemoPlace,
  args: readonly string[],
  onRecord: (record: OutputRecord) => void,
): QuasarChild {
  const child = spawn(process.execPath, [MAIN, ...args, "--json"], {
    cwd: place.repository,
    env: place.env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const lines = createInterface({ input: child.stdout });
  lines.on("line", (line) => onRecord(reportedBy(JSON.parse(line) as Printed)));
  return { process: child, ended: endOf(child) };
}

/** Starts `quasar …`, which prints where this process does. */
export function showQuasar(place: DemoPlace, args: readonly string[]): QuasarChild {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: place.repository,
    env: place.env,
    stdio: ["ignore", "inherit", "inherit"],
  });
  return { process: child, ended: endOf(child) };
}

/** What `quasar … --json` says, as its last line. */
export async function askQuasar(place: DemoPlace, args: readonly string[]): Promise<unknown> {
  const { output } = await finish(place, process.execPath, [MAIN, ...args, "--json"]);
  return JSON.parse(output.trim().split("\n").at(-1) ?? "");
}

function endOf(child: ChildProcess): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => resolve(code ?? undefined));
  });
}
