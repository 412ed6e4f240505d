import { type ConfigPair, type Environment, networkEnvironment } from "./environment.ts";
import { GitError, type GitErrorCode } from "./errors.ts";
import { type GitResult, gitFailed, type RunOptions } from "./run.ts";
import { tail } from "./text.ts";

/**
 * How git is run where it talks to a remote: with the user's credentials, without a terminal that it
 * could ask at. Programs that configuration names for the connection run (ssh, credential helpers);
 * a command in place of a URL does not.
 *
 * @see SPEC.md, "Remotes"
 */
export function remoteAccess(environment: Environment): RunOptions {
  const env = { ...networkEnvironment(environment), GCM_INTERACTIVE: "never" };
  return { env, config: ONLY_CONNECTIONS, hasTerminal: false };
}

const ONLY_CONNECTIONS: readonly ConfigPair[] = [["protocol.ext.allow", "never"]];

/** Git's words, ssh's and curl's, for what a person can do something about; the first that fits counts. */
const CAUSES: readonly (readonly [words: RegExp, code: GitErrorCode])[] = [
  [
    /Authentication failed|could not read (?:Username|Password)|terminal prompts disabled|Permission denied \(|Host key verification failed|returned error: 40[13]|Invalid username or (?:password|token)|unable to read askpass/i,
    "ERR_REMOTE_AUTH",
  ],
  [
    /Could not resolve (?:host|proxy)|Failed to connect|Couldn't connect|Connection (?:refused|timed out|reset|closed)|Network is unreachable|No route to host|Operation timed out|Temporary failure in name resolution|unable to look up|The remote end hung up|returned error: 5\d\d|early EOF|(?:does not|doesn't) appear to be a git repository|Could not read from remote repository|unable to access/i,
    "ERR_REMOTE_UNREACHABLE",
  ],
];

/** The error for git's failure with a remote; the message is fit for a person. */
export function remoteFailed(args: readonly string[], result: GitResult): GitError {
  const code = CAUSES.find(([words]) => words.test(result.stderr))?.[1];
  if (code === undefined) {
    return new GitError("ERR_GIT_FAILED", withoutSecrets(gitFailed(args, result).message));
  }
  return new GitError(code, `git ${args[0]} failed: ${withoutSecrets(tail(result.stderr))}`);
}

/** Git tells URLs with the password that stands in them. */
export function withoutSecrets(text: string): string {
  return text.replaceAll(/(\b[a-z][a-z0-9+.-]*:\/\/)[^\s/]*@/gi, "$1");
}
