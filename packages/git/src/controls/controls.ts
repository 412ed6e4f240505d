import { readFileSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import type { SignalOptions } from "../head.ts";
import type { Repository } from "../repository.ts";
import { type Branch, type ControlChange, controlChanges, type FoundControls } from "./changes.ts";
import { linkTarget, readable } from "./digest.ts";
import { hookFiles, placeFiles, replacedObjects, ruleFiles, type WithoutOwn } from "./files.ts";
import { type Flags, openIndexFlags, restoreFlags } from "./index-flags.ts";
import { SKIPPED } from "../parse-index.ts";
import { type FoundSettings, readSettings, valuesInForce } from "./settings.ts";

/** Where the state is kept that changes are compared with. */
export interface ControlsStore {
  /** `undefined`: nothing is kept yet. */
  load(): string | undefined;
  save(text: string): void;
}

export interface ControlsOptions extends SignalOptions {
  /** @default none: it is kept as long as the process lives */
  readonly store?: ControlsStore | undefined;
  /** @default git hooks count as they are */
  readonly withoutOwn?: WithoutOwn | undefined;
  /** `repository`: only what all of its work trees share, from whichever of them it is read. @default "work-tree" */
  readonly scope?: "work-tree" | "repository" | undefined;
}

/** What controls git in a work tree, against how it was found. */
export interface GitControls {
  /** What has changed; where nothing has, no git process is started. */
  changes(): Promise<readonly ControlChange[]>;
  /** Files that git was told not to look at, with how. */
  hidden(): Promise<Flags>;
  /**
   * Has git look at files again that it was told not to look at, and not at those that it was to leave out.
   *
   * @param before - How it was. @default as it was found
   * @returns The paths of which it was another way.
   */
  restoreHidden(before?: Flags): Promise<readonly string[]>;
  /** Takes what is there now for what was found. */
  accept(): Promise<void>;
}

interface Kept {
  readonly controls: FoundControls;
  /** Of its settings. */
  readonly sources: FoundSettings["sources"];
}

/**
 * Finds what controls git in a work tree: settings, git hooks, rules beside them, replaced objects and files that it
 * was told not to look at. It is what was found before where the store has that, else what is there now.
 *
 * @throws {GitError} `ERR_GIT_FAILED` where settings cannot be read; the signal's reason when aborted.
 * @see SPEC.md, "What controls git"
 */
export async function openGitControls(
  repository: Repository,
  { store, withoutOwn = (script) => script, scope = "work-tree", signal }: ControlsOptions = {},
): Promise<GitControls> {
  const isShared = scope === "repository";
  const flags = openIndexFlags(repository, { signal });
  const read = async (last?: Kept): Promise<Kept> => {
    const kept = last && { values: last.controls.settings, sources: last.sources };
    const { values: settings, sources } = await readSettings(repository, kept, { signal });
    const inForce = valuesInForce(settings);
    const files = filesOf(repository, inForce, withoutOwn);
    if (isShared) return { sources, controls: { ...sharedOf(files), settings } };
    const hidden = visible(inForce, await flags());
    return { sources, controls: { ...files, settings, hidden } };
  };
  const stored = store?.load();
  const known = parseKept(stored);
  let found = known ?? (await read());
  let text = known === undefined ? textOf(found) : (stored ?? "");
  if (known === undefined) store?.save(text);
  let last = found;
  let isTampered = false;
  /** Who works in between may have come to what is kept. */
  const keepAgain = (): readonly ControlChange[] => {
    if (store !== undefined && store.load() !== text) {
      store.save(text);
      isTampered = true;
    }
    return isTampered ? [TAMPERED] : [];
  };
  return {
    async changes() {
      last = await read(last);
      const branch = isShared ? ({ is: "none" } as const) : branchOf(repository);
      const changes = controlChanges(found.controls, last.controls, branch);
      return [...changes, ...keepAgain()];
    },
    async hidden() {
      last = await read(last);
      return last.controls.hidden;
    },
    async restoreHidden(was = found.controls.hidden) {
      last = await read(last);
      return restoreFlags(repository.root, { was, is: last.controls.hidden }, { signal });
    },
    async accept() {
      last = await read(last);
      found = last;
      text = textOf(found);
      store?.save(text);
      isTampered = false;
    },
  };
}

const VERSION = 1;

function textOf(found: Kept): string {
  return `${JSON.stringify({ version: VERSION, ...found })}\n`;
}

const TAMPERED: ControlChange = {
  words: "what these are compared with: changed, and made what it was",
  decides: false,
};

function filesOf(
  repository: Repository,
  inForce: ReadonlyMap<string, string>,
  withoutOwn: WithoutOwn,
): Omit<FoundControls, "settings" | "hidden"> {
  const hooksPath = inForce.get("core.hookspath") ?? "";
  const main = mainRoot(repository);
  return {
    places: placeFiles(repository),
    hooks: hookFiles(repository, hooksPath, withoutOwn),
    mainHooks:
      main === undefined ? {} : hookFiles({ ...repository, root: main }, hooksPath, withoutOwn),
    rules: ruleFiles(repository, inForce),
    replaced: replacedObjects(repository),
  };
}

/** Without what is of the one work tree: what is in it is shown by a path from its top folder. */
function sharedOf({ hooks, rules, replaced }: ReturnType<typeof filesOf>) {
  const isShared = ([path]: readonly [string, string]): boolean =>
    path.startsWith(".git/") || isAbsolute(path);
  return {
    ...{ places: {}, mainHooks: {}, hidden: {}, rules, replaced },
    hooks: Object.fromEntries(Object.entries(hooks).filter(isShared)),
  };
}

/** In a sparse checkout git itself says of files outside of it that it does not look at them. */
function visible(
  inForce: ReadonlyMap<string, string>,
  flags: FoundControls["hidden"],
): FoundControls["hidden"] {
  const isSparse = inForce.get("core.sparsecheckout") === "true";
  return Object.fromEntries(
    Object.entries(flags).filter(([, how]) => !isSparse || how !== SKIPPED),
  );
}

/** The main work tree, where it is another one; a tool makes git hooks anew in each by the same name. */
function mainRoot({ root, commonDir }: Repository): string | undefined {
  const main = dirname(commonDir);
  return basename(commonDir) === ".git" && main !== root ? main : undefined;
}

/** As git reads HEAD; a link, and what is neither a branch nor a commit's id, may stand for any of them. */
function branchOf({ gitDir }: Repository): Branch {
  const path = join(gitDir, "HEAD");
  const head = linkTarget(path) === undefined ? readable(() => readFileSync(path, "utf8")) : "";
  if (/^[0-9a-f]{40,64}\s*$/u.test(head ?? "")) return { is: "none" };
  const [, name] = /^ref:\s*refs\/heads\/(?!\.invalid\s*$)(\S+)\s*$/u.exec(head ?? "") ?? [];
  return name === undefined ? { is: "unknown" } : { is: "known", name };
}

const GROUPS: readonly (keyof FoundControls)[] = [
  "places",
  "settings",
  "hooks",
  "mainHooks",
  "rules",
  "replaced",
  "hidden",
];

/** `undefined` for what is damaged, or of another version. */
function parseKept(text: string | undefined): Kept | undefined {
  if (text === undefined) return undefined;
  try {
    const kept = JSON.parse(text) as Kept & { readonly version: number };
    const groups = [kept.sources, ...GROUPS.map((group) => kept.controls[group])];
    return kept.version === VERSION && groups.every(areTexts) ? kept : undefined;
  } catch {
    return undefined;
  }
}

function areTexts(group: unknown): boolean {
  return (
    typeof group === "object" &&
    group !== null &&
    Object.values(group).every((text) => typeof text === "string")
  );
}
