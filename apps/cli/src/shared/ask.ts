import { createInterface } from "node:readline/promises";
import { codeOf } from "@quasar/runs/internal";
import { write } from "./output/reporter.ts";

/** Whether there is a person to ask. */
export function canAsk(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

/** What is typed to a question; `""` where nothing is: Ctrl-C and Ctrl-D are no. */
export async function ask(question: string): Promise<string> {
  // A screen that was there before has left it without a part in keeping the process.
  process.stdin.ref();
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await terminal.question(question)).trim();
  } catch (error) {
    if (codeOf(error) !== "ABORT_ERR") throw error;
    write(process.stderr, [""]);
    return "";
  } finally {
    terminal.close();
  }
}

export function isYes(answer: string): boolean {
  return /^y(es)?$/iu.test(answer);
}
