import { noteCommit } from "../src/git-hook/route.ts";

/** The command as the git hook needs it: what it cannot do it passes over in silence. */
try {
  const tasksRoot = process.env["TASKS_ROOT"] ?? "";
  await noteCommit(process.cwd(), { tasksRoot, now: new Date() });
} catch {
  // A commit is never disturbed.
}
