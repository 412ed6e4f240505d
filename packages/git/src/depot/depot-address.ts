import { GitError } from "../errors.ts";
import { checkRemote } from "../revision.ts";

/** An absolute path; `ssh://…` and the like; `host:path`, as git takes it. A remote's name is none. */
const ADDRESS = /^(?:\/|[a-z][a-z0-9+.-]*:\/\/|[^/:]+:(?!:))/iu;

/** @throws {GitError} `ERR_INVALID_ARGUMENT` for what is neither an absolute path nor a URL. */
export function checkAddress(url: string): string {
  if (ADDRESS.test(url)) return checkRemote(url);
  const message = `${JSON.stringify(url)} is neither an absolute path nor a URL`;
  throw new GitError("ERR_INVALID_ARGUMENT", message);
}
