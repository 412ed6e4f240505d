import { isDeepStrictEqual } from "node:util";
import type { RepositoryFacts } from "@quasar/git";
import type { ChangedFile } from "@quasar/git/history";
import type { HookFile, HookFileStore } from "@quasar/hookfile";
import { baselineOf } from "./baseline.ts";
import type { WorkTreeReader } from "./parts.ts";

/** What has become of a file; whether HEAD has it like that. */
interface FileChange extends ChangedFile {
  readonly committed: boolean;
}

/** What a step has touched. */
export interface Touched {
  readonly step: string;
  /** By path. */
  readonly changes: readonly FileChange[];
}

/** More are not recorded. */
const MOST_FILES = 1_000;

/**
 * What has become of the work tree's files since the current step first started; `undefined` where no
 * step is current, or where it is not on record how the work tree stood then.
 *
 * @throws as `changedFiles` does.
 */
export async function touchedFiles(
  hook: HookFile,
  { head, dirty }: Pick<RepositoryFacts, "head" | "dirty">,
  workTreeReader: Pick<WorkTreeReader, "changedFiles">,
  signal: AbortSignal | undefined,
): Promise<Touched | undefined> {
  const { currentStep, worktreePath } = hook;
  const base = currentStep && baselineOf(hook, currentStep.stepName);
  if (base === undefined) return undefined;
  const isMoved = head !== base.head && head !== "";
  const committed = isMoved
    ? await workTreeReader.changedFiles(worktreePath, base.head, head, { signal })
    : [];
  const changes = new Map<string, FileChange>(
    committed.map((file) => [file.path, { ...file, committed: true }]),
  );
  const before = new Set(base.dirty);
  for (const [path, statuses] of statusesOf(dirty)) {
    const isOwn = changes.has(path) || (base.dirty !== undefined && !before.has(path));
    if (isOwn) changes.set(path, { path, change: changeOf(statuses), committed: false });
  }
  const sorted = [...changes.keys()].sort().slice(0, MOST_FILES);
  return {
    step: base.step,
    changes: sorted.flatMap((path) => changes.get(path) ?? []),
  };
}

/** A file that only the index has lost is two entries of one path. */
function statusesOf(dirty: RepositoryFacts["dirty"]): ReadonlyMap<string, readonly string[]> {
  const statuses = new Map<string, readonly string[]>();
  for (const { path, status } of dirty) {
    statuses.set(path, [...(statuses.get(path) ?? []), status]);
  }
  return statuses;
}

/** Of the file in the work tree against HEAD. */
function changeOf(statuses: readonly string[]): ChangedFile["change"] {
  if (statuses.every((status) => /[?A]/u.test(status) && !status.includes("D"))) return "new";
  const isThere = statuses.includes("??");
  return !isThere && statuses.some((status) => status.includes("D")) ? "deleted" : "modified";
}

/** Records it, unless the step is over or it is on record: it takes no lock then, since looks are many. */
export function noteTouched(
  store: HookFileStore,
  hook: HookFile,
  touched: Touched | undefined,
): HookFile {
  if (touched === undefined || !isNews(hook, touched)) return hook;
  const { changes } = touched;
  return store.update((now) => {
    const { currentStep } = now;
    if (currentStep === undefined || !isNews(now, touched)) return undefined;
    const filesTouched = changes.map(({ path }) => path);
    const noted = { ...currentStep, filesTouched, fileChanges: changes };
    return { hook: { ...now, currentStep: noted }, events: [] };
  });
}

function isNews({ currentStep }: HookFile, { step, changes }: Touched): boolean {
  return (
    currentStep?.stepName === step && !isDeepStrictEqual(currentStep.fileChanges ?? [], changes)
  );
}
