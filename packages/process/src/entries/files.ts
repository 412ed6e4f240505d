export { entryAt } from "../entry-at.ts";
export { hasErrno, isFullDisk, named, withName } from "../errno.ts";
export { makeFolders } from "../make-folders.ts";
export { namesIn } from "../names-in.ts";
export { openFilesLimit } from "../open-files.ts";
export { syncFileSystem } from "../sync-file-system.ts";
export { withoutLinks } from "../without-links.ts";
