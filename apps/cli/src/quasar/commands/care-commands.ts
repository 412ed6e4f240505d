/** The commands that show what is kept and take care of it, and of settings: loaded in one piece, too. */
export { abandonCommand } from "./abandon.ts";
export { costCommand } from "./cost.ts";
export { doctorCommand } from "./doctor.ts";
export { initCommand } from "./init.ts";
export { logCommand } from "./log.ts";
export { lsCommand } from "./ls.ts";
export { pruneCommand } from "./prune.ts";
export { restoreCommand } from "./restore.ts";
export { showCommand } from "./show.ts";
export { snapshotsCommand } from "./snapshots.ts";
export { statusCommand } from "./status.ts";
