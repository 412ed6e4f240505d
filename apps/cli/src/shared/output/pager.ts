import { spawn } from "node:child_process";
import { once } from "node:events";
import { write } from "./reporter.ts";

/**
 * Writes lines to standard output; on a terminal by the user's pager: `GIT_PAGER`, `PAGER`, else `less`, which
 * leaves by itself where everything fits. Git's configuration is not asked: a repository would have a say.
 */
export async function writePaged(lines: readonly string[]): Promise<void> {
  const { stdout, env } = process;
  const command = env["GIT_PAGER"] ?? env["PAGER"] ?? "less";
  if (!stdout.isTTY || command === "" || command === "cat") return write(stdout, lines);
  const pager = spawn(command, {
    shell: true, // the user's own command line, as git takes it
    stdio: ["pipe", "inherit", "inherit"],
    env: { LESS: "FRX", ...env },
  });
  pager.stdin.on("error", () => {}); // it has left before it has read all
  pager.stdin.end(`${lines.join("\n")}\n`);
  // Ctrl-C is the pager's: it goes to both, and who leaves first leaves the terminal as the pager has set it.
  process.on("SIGINT", ignore);
  const [code] = (await once(pager, "exit")) as [number | null];
  process.off("SIGINT", ignore);
  if (code === NOT_FOUND) write(stdout, lines);
}

function ignore(): void {}

/** Exit code of a shell that did not find the command. */
const NOT_FOUND = 127;
