import { GitError } from "../errors.ts";
import { type GitResult, gitFailed } from "../run.ts";
import { tail } from "../text.ts";

/** The error of a run of git that failed: `ERR_MISSING_OBJECT` where it lacked an object, else `ERR_GIT_FAILED`. */
export function failedOrMissing(args: readonly string[], result: GitResult): GitError {
  return MISSING.test(result.stderr)
    ? missingObject(`git ${args[0]}: ${tail(result.stderr)}`)
    : gitFailed(args, result);
}

export function missingObject(what: string): GitError {
  const help = "fetch it, or look with git fsck whether it was lost";
  return new GitError("ERR_MISSING_OBJECT", `an object is missing (${what}): ${help}`);
}

const MISSING =
  /^(?:error|fatal): .*?(?:could not read [0-9a-f]{40}|unable to (?:read|find) |bad (?:tree )?object |missing (?:blob|tree) object |not a valid object\b|invalid reference: [0-9a-f]{40}|loose object |object file .* is empty$|with nonexistent object )/imu;
