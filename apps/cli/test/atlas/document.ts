import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** A document whose commands can be run: in `sh` fences a script, in `console` fences commands and what they print. */
interface Fence {
  readonly language: "sh" | "console";
  /** As it stands in the document, fences included. */
  readonly whole: string;
  readonly commands: readonly { readonly typed: string; readonly printed: string }[];
}

const FENCE = /^(`{3,})(sh|console)\n([^]*?)^\1$/gmu;

function fencesOf(text: string): readonly Fence[] {
  return [...text.matchAll(FENCE)].map(([whole, , language, body = ""]) =>
    language === "sh"
      ? { language: "sh", whole, commands: [{ typed: body, printed: "" }] }
      : { language: "console", whole, commands: commandsOf(body) },
  );
}

function commandsOf(body: string): Fence["commands"] {
  return body
    .split(/^(?=\$ )/mu)
    .filter((part) => part !== "")
    .map((part) => {
      const [line = "", ...printed] = part.split("\n");
      return { typed: line.slice("$ ".length), printed: printed.join("\n") };
    });
}

/** The commands of a document with what it says they print, and with what they have printed. */
export interface Played {
  readonly written: string;
  readonly printed: string;
  /** The document with what was printed in it. */
  readonly text: string;
}

/**
 * Runs a document's commands one after the other, as if typed into one shell.
 *
 * @param home - Where the shell begins; in what it prints it is `/home/ada`.
 */
export async function play(
  path: URL,
  home: string,
  env: Readonly<Record<string, string>>,
): Promise<Played> {
  const document = readFileSync(path, "utf8");
  const shell = aShell(home, env);
  let text = document;
  let written = "";
  let printed = "";
  for (const { language, whole, commands } of fencesOf(document)) {
    let body = "";
    for (const command of commands) {
      const output = (await shell(command.typed)).replaceAll(home, "/home/ada");
      const line = `$ ${command.typed}\n`;
      written += line + command.printed;
      printed += line + output;
      body += line + output;
    }
    if (language === "console") text = text.replace(whole, () => fenced(body));
  }
  return { written, printed, text };
}

/** In a fence that nothing inside can end. */
function fenced(body: string): string {
  const longest = Math.max(2, ...[...body.matchAll(/`{3,}/gu)].map(([{ length }]) => length));
  const fence = "`".repeat(longest + 1);
  return `${fence}console\n${body}${fence}`;
}

/** Variables, the folder and the exit code stay from one command to the next. */
function aShell(
  home: string,
  env: Readonly<Record<string, string>>,
): (command: string) => Promise<string> {
  const kept = join(home, ".shell");
  writeFileSync(kept, "");
  let code = 0;
  return async (command) => {
    const script = `exec 2>&1
set -a
. ${kept}
cd "$PWD"
(exit ${code})
${command}
CODE=$?
export -p > ${kept}
exit $CODE
`;
    const ran = await new Promise<{ code: number; stdout: string }>((resolve) => {
      const options = { cwd: home, env, encoding: "utf8", maxBuffer: 2 ** 24 } as const;
      const child = execFile("sh", ["-c", script], options, (error, stdout) => {
        resolve({ code: Number(error?.code ?? 0), stdout });
      });
      child.stdin?.end();
    });
    code = ran.code;
    return ran.stdout;
  };
}
