export { fetchBranch, type Upstream, upstreamOf } from "../branches.ts";
export { pushBranch, remoteHead, remoteUrl } from "../push.ts";
export { pushTarget, type PushTarget, type RemoteBranch, remoteBranches } from "../remotes.ts";
