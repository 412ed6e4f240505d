import { join } from "node:path";
import { lockHolder } from "@quasar/durable";
import { noteCommit } from "@quasar/hookfile/git-hook";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { atlasHome } from "./home.ts";

/**
 * Leaves a note of HEAD's commit for the task of this work tree, if there is one, and makes its
 * checkpoint where nobody drives the task: who does sees the note. Where the hook file is locked too long, the note
 * stays for the next command that opens the task.
 */
export async function noteHead(): Promise<void> {
  const tasksRoot = join(atlasHome(process.env), "workspaces");
  const noted = await noteCommit(process.cwd(), { tasksRoot, now: new Date() });
  if (noted.kind !== "noted") return;
  if (lockHolder(join(noted.taskDir, TASK_FILES.runLock)) !== undefined) return;
  // Only now: the note is on disk, whatever becomes of the rest.
  const [{ drainInbox }, { openInstallation }] = await Promise.all([
    import("@quasar/tasks/operations"),
    import("./installation.ts"),
  ]);
  await drainInbox(noted.taskDir, openInstallation());
}
