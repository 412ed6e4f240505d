import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { readWholeFile, replaceFile } from "@quasar/durable";
import type { Repository } from "@quasar/git";
import {
  type ControlChange,
  type ControlsStore,
  type GitControls,
  openGitControls,
} from "@quasar/git/internal";
import { listPaths } from "../commit/untouchable.ts";
import { messageOf } from "../emitter.ts";
import type { Ending } from "../ending.ts";
import { failedBy } from "../full-disk.ts";
import type { Run } from "../run.ts";
import { ControlsChanged } from "./controls-changed.ts";

/** What controls git in the work tree, as it was found before anything of the work ran. */
export interface ControlsOptions {
  /** Absolute path of the file in which it is kept; who finds one there compares with that. */
  readonly file: string;
  /** Takes out of a git hook what the product itself has put there; `undefined`: nothing else is in it. @default as it is */
  readonly withoutOwn?: ((script: Uint8Array) => Uint8Array | undefined) | undefined;
  /** Take what is there now for what was found: a person accepts it. @default false */
  readonly accept?: boolean | undefined;
  /** Leave the file as it is: somebody else may write it now. @default false */
  readonly readsOnly?: boolean | undefined;
  /** `repository`: only what all of its work trees share. @default "work-tree" */
  readonly scope?: "work-tree" | "repository" | undefined;
  /** What was found when the larger work began that this is a part of: what has changed since then counts, too. @default none */
  readonly larger?: Pick<GitControls, "changes"> | undefined;
}

export interface OpenControls extends GitControls {
  /** What was accepted when they were opened. */
  readonly accepted: readonly ControlChange[];
}

export type Redact = ((text: string) => string) | undefined;

/**
 * @param redact - Takes secrets out of what the settings say.
 * @throws {GitError} where settings cannot be read.
 */
export async function openControls(
  repository: Repository,
  options: ControlsOptions | undefined,
  redact: Redact = (text) => text,
): Promise<OpenControls> {
  const { file, withoutOwn, accept = false, readsOnly, scope, larger } = options ?? {};
  const kept = file === undefined ? undefined : fileStore(file);
  const store = kept && readsOnly === true ? { ...kept, save() {} } : kept;
  const controls = await openGitControls(repository, { store, withoutOwn, scope });
  const changes = async (): Promise<readonly ControlChange[]> => {
    const before = ((await larger?.changes()) ?? []).filter(({ decides }) => decides);
    const all = [...(await controls.changes()), ...before];
    const byWords = new Map(all.map((each) => [each.words, each]));
    return [...byWords.values()].map((each) => ({ ...each, words: redact(each.words) }));
  };
  const accepted = accept ? await changes() : [];
  if (accepted.length > 0) await controls.accept();
  return { ...controls, changes, accepted };
}

const MAX_BYTES = 16 * 2 ** 20;

function fileStore(file: string): ControlsStore {
  return {
    load() {
      const bytes = readWholeFile(file, { maxBytes: MAX_BYTES });
      return bytes && Buffer.from(bytes).toString();
    },
    save(text) {
      // Where the run's folder is gone, it is made anew with all that the run stores.
      if (existsSync(dirname(file))) {
        replaceFile(file, Buffer.from(text), { keepPrevious: false });
      }
    },
  };
}

/** @throws {ControlsChanged} where something has changed that decides what git does. */
export async function requireControls(controls: Pick<GitControls, "changes">): Promise<void> {
  const message = stopWords(await controls.changes());
  if (message !== undefined) throw new ControlsChanged(message);
}

/** What has changed in words; `""`: nothing. */
export function controlsWords(changes: readonly ControlChange[]): string {
  return changes.length === 0 ? "" : `${CHANGED}: ${listed(changes)}.`;
}

/** Why git is not run, in words; `undefined` where it may be. */
export function stopWords(changes: readonly ControlChange[]): string | undefined {
  const deciding = changes.filter(({ decides }) => decides);
  if (deciding.length === 0) return undefined;
  return `${CHANGED}, so nothing is committed or pushed with it: ${listed(deciding)}.`;
}

const CHANGED = "Git's settings or hooks changed since the work began";

function listed(changes: readonly ControlChange[]): string {
  return listPaths(changes.map(({ words }) => words)).join("; ");
}

/** Why a run may not continue, or be approved: git would not do what it did when the work began. */
export async function refuseControls({ ports: { repository } }: Run): Promise<Ending | undefined> {
  try {
    if (repository !== undefined) await requireControls(repository.controls);
    return undefined;
  } catch (error) {
    return failedBy(error, { outcome: "git", message: `${UNREAD}: ${messageOf(error)}` });
  }
}

/** Reports what has changed where the same was not reported before. */
export async function reportControls(run: Run): Promise<void> {
  const words = await otherControls(run, "");
  if (words !== "") await run.warnOnce(words);
}

/** What has changed, in words, that a message does not say already; `""`: nothing. */
export async function otherControls({ ports }: Run, message: string): Promise<string> {
  try {
    const all = (await ports.repository?.controls.changes()) ?? [];
    const others = all.filter(({ words }) => !message.includes(words));
    const isMore = others.length > 0 && others.length < all.length;
    return isMore ? `Changed too: ${listed(others)}.` : controlsWords(others);
  } catch (error) {
    const words = `${UNREAD}: ${messageOf(error)}`;
    return message.includes(words) ? "" : words;
  }
}

const UNREAD = "Git's settings and hooks could not be read";
