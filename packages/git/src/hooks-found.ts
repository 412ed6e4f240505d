import { digestOf, UNREADABLE } from "./controls/digest.ts";
import { hookFiles, type WithoutOwn } from "./controls/files.ts";
import type { SignalOptions } from "./head.ts";
import { hooksFolder } from "./hooks.ts";
import type { Repository } from "./repository.ts";

/** The git hooks that run from one work tree. */
export interface HooksFound {
  /** Absolute path of their folder. */
  readonly folder: string;
  /** Of all of them and of what lies beside them; `""`: one of them cannot be read. */
  readonly digest: string;
}

export interface HooksFoundOptions extends SignalOptions {
  /** @default git hooks count as they are */
  readonly withoutOwn?: WithoutOwn | undefined;
}

/**
 * @throws {GitError} `ERR_NOT_A_REPOSITORY`, `ERR_GIT_MISSING`, `ERR_GIT_FAILED`; the signal's reason when aborted.
 */
export async function findHooks(
  repository: Pick<Repository, "root" | "commonDir">,
  { withoutOwn = (script) => script, signal }: HooksFoundOptions = {},
): Promise<HooksFound> {
  const { path: folder, isConfigured } = await hooksFolder(repository, { signal });
  const files = hookFiles(repository, isConfigured ? folder : "", withoutOwn);
  const found = Object.entries(files).toSorted(([one], [other]) => (one < other ? -1 : 1));
  const isKnown = found.every(([, text]) => !text.startsWith(UNREADABLE));
  return { folder, digest: isKnown ? digestOf(JSON.stringify(found)) : "" };
}
