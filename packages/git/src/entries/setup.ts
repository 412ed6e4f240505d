export {
  commitSettings,
  type CommitSettings,
  gitVersion,
  type Signing,
  unmergedPaths,
} from "../commit-settings.ts";
export { NEUTRAL } from "../config.ts";
export { isShallow } from "../repository.ts";
export { checkSigning } from "../signing.ts";
