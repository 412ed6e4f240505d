/** For the packages of this workspace, which are released together; may change in any release. */
export { commitFolder, type FolderToCommit } from "../depot/commit-folder.ts";
export { depotRefs } from "../depot/depot-refs.ts";
export { fetchFromDepot, type WantedRef } from "../depot/fetch-from-depot.ts";
export { initDepot } from "../depot/init-depot.ts";
export { makeRepository } from "../depot/make-repository.ts";
export { type DepotUpdate, type PushedToDepot, pushToDepot } from "../depot/push-to-depot.ts";
export { type FolderToRestore, restoreFolder } from "../depot/restore-folder.ts";
