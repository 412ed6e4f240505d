import type { ScriptedTurn } from "./agent-script.ts";

/** What the child is given on standard input. */
export interface ScriptedTask {
  readonly turn: ScriptedTurn;
  readonly workDir: string;
}

/**
 * The scripted agent's program. Its text is what runs, in a process of its own, so that it is found
 * wherever this module was bundled to: it may use nothing from outside its own braces.
 *
 * Like Claude Code it goes on working when nobody reads its output any more.
 */
async function scriptedChild(): Promise<void> {
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const { turn, workDir } = JSON.parse(fs.readFileSync(0, "utf8")) as ScriptedTask;
  const { says = [], files = {}, costUsd = 0, delayMs = 0, failure, exitCode = 0 } = turn;
  process.stdout.on("error", () => undefined);
  const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

  for (const [at, text] of says.entries()) {
    print({ type: "text", text });
    await pause(delayMs / says.length);
    print({ type: "usage", costUsd: (costUsd * (at + 1)) / says.length });
  }
  if (says.length === 0) {
    await pause(delayMs);
  }
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(workDir, name);
    print({ type: "tool", name: "write", detail: name });
    fs.mkdirSync(path.dirname(file), { recursive: true });
    fs.writeFileSync(file, text);
  }
  if (exitCode === 0) {
    print({ type: "result", text: turn.text ?? "", costUsd, failure });
  }
  process.exitCode = exitCode;
}

/** Arguments of `node` that run it. */
export const SCRIPTED_CHILD_ARGS: readonly string[] = [
  "--input-type=module",
  "--eval",
  `await (${scriptedChild.toString()})();`,
];
