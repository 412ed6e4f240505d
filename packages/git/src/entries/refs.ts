export { deleteBranch } from "../branches.ts";
export { verifyBundle, writeBundle } from "../bundle.ts";
export { createRef, listRefs, type Ref, removeRefs } from "../refs.ts";
