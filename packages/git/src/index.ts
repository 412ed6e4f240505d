export { commitAll, type Committed } from "./commit.ts";
export type { DirtyPath } from "./dirty-path.ts";
export { foreignGitEnv } from "./environment.ts";
export { GitError, type GitErrorCode, isNoWorkTree } from "./errors.ts";
export { type GitWork, onGitWork } from "./git-work.ts";
export { currentBranch, currentGitSha, currentHead, type SignalOptions } from "./head.ts";
export { carriesMark, type Commit, logRange } from "./history.ts";
export { inspectRepository, type RepositoryFacts } from "./inspect.ts";
export {
  type Operation,
  openRepository,
  operationInProgress,
  type Repository,
} from "./repository.ts";
export { dirtyPaths } from "./status.ts";
export { TRAILER } from "./trailers.ts";
