import { join } from "node:path";
import { noteCommit } from "@quasar/hookfile";
import { atlasHome } from "./home.ts";

/**
 * Leaves a note of HEAD's commit for the task of this work tree, if there is one. Nothing of the task
 * is read or written: whoever drives it takes the note up.
 */
export async function noteHead(): Promise<void> {
  const tasksRoot = join(atlasHome(process.env), "workspaces");
  await noteCommit(process.cwd(), { tasksRoot, now: new Date() });
}
