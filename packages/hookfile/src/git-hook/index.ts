export { clearInbox, readInbox } from "../store/inbox.ts";
export { lookForCommits } from "./commits.ts";
export { installGitHook, uninstallGitHook } from "./git-hook.ts";
export { lookForPushes } from "./pushes.ts";
export { noteCommit } from "./route.ts";
