export type { ProtectedChange } from "../merge-protected.ts";
export { openProtectedFiles, type ProtectedFiles } from "../protected-files.ts";
