import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { sendSignal } from "@quasar/process";
import { rowsOf } from "./terminal.ts";

/** Where what is printed goes: to a terminal of 80 columns, or through a pipe. */
export type Output = "terminal" | "piped";

const COLUMNS = 80;

export interface TypedPlace {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly output: Output;
}

/** A line that a person has typed. */
export interface Typed {
  readonly line: string;
  readonly finished: Promise<number | null>;
  /** What can be read so far. */
  screen(): string;
  /** Resolves once that can be read. @throws {Error} where it has ended without it */
  sees(text: string): Promise<void>;
  answer(text: string): void;
  /** As `kill -9` does. */
  kill(): void;
}

let lines = 0;

/** @param line - A command; `quasar` is the alias that the README gives beside another package's `quasar`. */
export function type(line: string, { cwd, env, output }: TypedPlace): Typed {
  lines += 1;
  const pid = join(env["TMPDIR"] ?? cwd, `line-${lines}.pid`);
  const command = `echo $$ > '${pid}'; exec ${line.replace(/^quasar\b/u, "quasar-loop")}`;
  const [program, ...args] =
    output === "terminal"
      ? ["script", "-qefc", `stty cols ${COLUMNS} rows 24; ${command}`, "/dev/null"]
      : ["/bin/sh", "-c", `exec 2>&1; ${command}`];
  const child = spawn(program, args, { cwd, env, stdio: "pipe" });
  if (output === "piped") child.stdin.end();
  let written = "";
  const watchers = new Set<() => void>();
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    written += chunk;
    for (const watch of watchers) watch();
  });
  const screen = (): string =>
    output === "terminal" ? `${rowsOf(written, COLUMNS).join("\n")}\n` : written;
  const finished = once(child, "close").then(([code]) => code as number | null);
  return {
    line,
    finished,
    screen,
    sees: (text) =>
      new Promise((resolve, reject) => {
        const watch = (): void => {
          if (screen().includes(text)) resolve();
        };
        watchers.add(watch);
        watch();
        void finished.then(() =>
          reject(new Error(`${line} ended without ${JSON.stringify(text)}:\n${screen()}`)),
        );
      }),
    answer: (text) => void child.stdin.write(text),
    kill: () => {
      if (existsSync(pid)) sendSignal(Number(readFileSync(pid, "utf8")), "SIGKILL");
    },
  };
}
