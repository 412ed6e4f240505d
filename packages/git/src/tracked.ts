import { GitError } from "./errors.ts";
import { gitOutput } from "./run.ts";

/** Whether git tracks a file of a folder: `false`, too, where the folder is in no repository. Starts one git process. */
export async function isTracked(folder: string, name: string): Promise<boolean> {
  try {
    const args = ["ls-files", "-z", "--", `:(literal)${name}`];
    return (await gitOutput("read", folder, args, {})) !== "";
  } catch (error) {
    if (error instanceof GitError) return false;
    throw error;
  }
}
