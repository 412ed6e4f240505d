import { runProgram } from "./run.ts";
import { system } from "./system.ts";

/**
 * Flushes everything that was written to the file system of a folder, by whomever.
 *
 * @returns Whether that is done. Where the system only schedules it, and where it has no such program, it is not.
 */
export async function syncFileSystem(dir: string): Promise<boolean> {
  const { args, isDone } = system.sync(dir);
  const program = { file: "sync", args, cwd: "/", env: process.env };
  const end = await runProgram(program, { group: "shared" });
  return isDone && end.kind === "ended" && end.exitCode === 0;
}
