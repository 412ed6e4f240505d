export { fetchBranch, upstreamOf } from "../branches.ts";
export { pushBranch, remoteHead, remoteUrl } from "../push.ts";
export { pushTarget } from "../remotes.ts";
