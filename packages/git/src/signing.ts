import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { missingIdentity, readConfig } from "./config.ts";
import { GitError } from "./errors.ts";
import type { SignalOptions } from "./head.ts";
import { openRepository } from "./repository.ts";
import { git } from "./run.ts";
import { tail } from "./text.ts";

const NO_COMMIT = /^fatal: not a valid object name/im;

/** As git reads it in a list that colons separate. */
function quotedPath(path: string): string {
  return `"${path.replaceAll(/["\\]/g, "\\$&")}"`;
}

/** Whether commits are to be signed here (`commit.gpgsign`). */
export async function isToBeSigned(workTree: string, options: SignalOptions): Promise<boolean> {
  const asked = ["config", "--type=bool", "--get", "commit.gpgsign"];
  const { stdout } = await git("read", workTree, asked, options);
  return stdout.trim() === "true";
}

/**
 * Makes sure that commits can be signed here, if they are to be (`commit.gpgsign`): signs one that is
 * thrown away, so whoever is to type a passphrase is asked now. Changes nothing in the repository. Starts
 * one git process where nothing is to be signed. Says nothing while HEAD has no
 * commit.
 *
 * @throws {GitError} `ERR_SIGNING_FAILED`; `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the
 *   signal's reason when aborted.
 */
export async function checkSigning(workTree: string, options: SignalOptions = {}): Promise<void> {
  if (!(await isToBeSigned(workTree, options))) return;
  const { commonDir } = await openRepository(workTree, options);
  const config = await readConfig(workTree, options);
  const objects = await mkdtemp(join(tmpdir(), "quasar-signing-"));
  try {
    const args = ["commit-tree", "--gpg-sign", "-m", "Can commits be signed?", "HEAD^{tree}"];
    const result = await git("write", workTree, args, {
      ...options,
      hooks: true,
      env: {
        ...missingIdentity(config, process.env),
        GIT_OBJECT_DIRECTORY: objects,
        GIT_ALTERNATE_OBJECT_DIRECTORIES: quotedPath(join(commonDir, "objects")),
      },
    });
    if (result.exitCode === 0 || NO_COMMIT.test(result.stderr)) return;
    const message = `commits are to be signed here (commit.gpgsign), and that fails: ${tail(result.stderr)}`;
    throw new GitError("ERR_SIGNING_FAILED", message);
  } finally {
    await rm(objects, { recursive: true, force: true });
  }
}
