import { Buffer } from "node:buffer";
import { dirname, join, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  DurableError,
  type LoadedFile,
  loadFile,
  nodeFileSystem,
  readWholeFile,
  recoverDirectory,
  replaceFile,
  quarantine,
} from "@quasar/durable";
import { checkChange } from "../transitions/change.ts";
import type { Change } from "./entries.ts";
import { HookFileError } from "../errors.ts";
import { makeFolder, withModes } from "./exact-modes.ts";
import { TASK_FILES } from "./files.ts";
import { type Continuation, createHistoryFiles, historyFileName } from "./history-files.ts";
import { adopt, type HistoryRecord, rollForward, type Stored } from "./history-record.ts";
import {
  decodeHookFile,
  encodeHookFile,
  isOtherVersion,
  MAX_HOOK_BYTES,
  positionOf,
  prepareHookFile,
} from "./hook-codec.ts";
import type { HistoryHead, HookFile, NewTask } from "./hook-file.ts";
import { renderHookMd } from "../hook-md/hook-md.ts";
import type { Verdicts } from "../hook-md/receipts.ts";
import { quarantinedFiles } from "./quarantine.ts";
import type { Problem } from "../problem.ts";
import type { HookFileStoreOptions, OpenedHookFile } from "./store-options.ts";
import { awaitPerson } from "../transitions/await-person.ts";
import { transitionOnce } from "../transitions/transitions.ts";

/** The store's whole work but the lock. */
export interface HookFiles {
  readonly dir: string;
  /** What the lock's file needs. */
  makeFolder(): void;
  isThere(): boolean;
  create(task: NewTask): HookFile;
  open(): OpenedHookFile | undefined;
  read(): HookFile | undefined;
  update(change: (hook: HookFile) => Change | undefined): HookFile;
  records(): Iterable<HistoryRecord>;
}

/** What the files say, before anything is done about it. */
interface Finding extends OpenedHookFile {
  readonly hook: Stored;
  /** What the history lacks; then a person has to look. */
  readonly damage: string | undefined;
  /** Of the history, for the next record. */
  readonly tail: number;
  readonly isTorn: boolean;
  /** Whether hook.json is this hook. */
  readonly isWritten: boolean;
}

export interface HookFilesOptions extends HookFileStoreOptions {
  /** As {@link HistoryFilesOptions}. */
  readonly rollBytes?: number | undefined;
  /** @default renderHookMd */
  readonly render?: typeof renderHookMd | undefined;
}

export function createHookFiles(options: HookFilesOptions): HookFiles {
  const { fs = nodeFileSystem, random, now = () => new Date() } = options;
  const {
    verdicts = () => new Map(),
    receiptProblems = () => [],
    version = "0.0.0",
    rollBytes,
    render = renderHookMd,
  } = options;
  const dir = resolve(options.dir);
  const hidden = { fs: withModes(fs, 0o600), random };
  const shared = { fs: withModes(fs, 0o644), random };
  const hookPath = join(dir, TASK_FILES.hook);
  const hookMdPath = join(dir, TASK_FILES.hookMd);
  const historyDir = join(dir, TASK_FILES.history);
  const history = createHistoryFiles(historyDir, { ...hidden, now, rollBytes });

  /** hook.json or the generation before; an error where there are some but none is what was written. */
  function load(view = history.view()): LoadedFile<Stored> | DurableError | undefined {
    const parse = (bytes: Uint8Array): Stored => {
      const hook = decodeHookFile(bytes);
      const { head } = hook;
      if (head === undefined) throw unlike("has no head");
      const record = view.at(head);
      if (record !== undefined && !isDeepStrictEqual(record.position, positionOf(hook))) {
        throw unlike("is not what the history says");
      }
      return { ...hook, head };
    };
    const parseUnlessOther = (bytes: Uint8Array): Stored | HookFileError => {
      try {
        return parse(bytes);
      } catch (error) {
        if (error instanceof HookFileError && isOtherVersion(error)) return error;
        throw error;
      }
    };
    try {
      const loaded = loadFile(hookPath, parseUnlessOther, { fs, maxBytes: MAX_HOOK_BYTES });
      if (loaded === undefined) return undefined;
      const { value } = loaded;
      if (value instanceof HookFileError) throw value;
      return { ...loaded, value };
    } catch (error) {
      if (error instanceof DurableError && error.code === "ERR_DAMAGED") return error;
      throw error;
    }
  }

  function inspect(look = history.view): Finding | undefined {
    if (fs.lstat(join(dir, TASK_FILES.tombstone)) !== undefined) return undefined;
    const view = look();
    const loaded = load(view);
    if (loaded === undefined || loaded instanceof DurableError) return rebuild(loaded);

    const { records, isTorn, tail, ...found } = view.after(loaded.value.head);
    let { damage } = found;
    let hook = loaded.value;
    for (const record of records) {
      const next = rollForward(hook, record);
      if (next === undefined) damage = `${nameOf(record.head)} is not of this task`;
      if (next === undefined) break;
      hook = next;
    }
    const isCurrent = loaded.source === "current";
    return {
      hook,
      source: isCurrent && hook !== loaded.value ? "rolled-forward" : loaded.source,
      problems: [...problemsOf(loaded.problems), ...problemsIn({ isTorn, damage })],
      damage,
      tail,
      isTorn,
      isWritten: isCurrent && hook === loaded.value,
    };
  }

  /** From the history alone. */
  function rebuild(error: DurableError | undefined): Finding | undefined {
    let hook: Stored | undefined;
    let damage: string | undefined;
    for (const item of history.all()) {
      if (item.kind === "record") hook = adopt(hook, item.record);
      else damage = item.isKnown ? undefined : item.message;
    }
    if (hook === undefined) {
      if (error === undefined && damage === undefined) return undefined;
      const message = `${dir}: nothing that is left says where the task is`;
      throw new HookFileError("ERR_DAMAGED", message, { cause: error ?? new Error(damage) });
    }
    const { isTorn, tail, ...found } = history.view().after(hook.head);
    damage ??= found.damage;
    const reasons = error?.cause instanceof AggregateError ? error.cause.errors : [];
    const problems = [...problemsOf(reasons as Error[]), ...problemsIn({ isTorn, damage })];
    const source = "rolled-forward";
    return { hook, source, problems, damage, tail, isTorn, isWritten: false };
  }

  /** Makes the files what was found; `damage` puts a person in charge. */
  function repair(found: Finding): { readonly hook: Stored; readonly tail: number } {
    const { hook, damage, tail, isTorn, isWritten } = found;
    if (!isWritten) setDamagedAside();
    if (damage !== undefined) {
      const repaired = commit(hook, awaitPerson(hook, damage, now()), tail, damage);
      return { hook: repaired, tail: repaired.head.file };
    }
    if (isTorn || !isWritten) history.settle(tail);
    if (!isWritten) replaceFile(hookPath, encodeHookFile(hook), shared);
    return { hook, tail };
  }

  function setDamagedAside(): void {
    for (;;) {
      const loaded = load();
      if (loaded === undefined) return;
      if (!(loaded instanceof DurableError) && loaded.source === "current") return;
      quarantine(hookPath, { ...shared, now: now() });
    }
  }

  function commit(
    before: HookFile,
    { hook, events, receipts = [], checkpoints = [] }: Change,
    tail: number,
    problem?: string,
  ): Stored {
    const revision = before.revision + 1;
    const updatedAt = now().toISOString();
    const prepared = prepareHookFile({ ...hook, revision, updatedAt }); // refuses, or all is written
    const next = prepared.hook;
    const entry = { position: positionOf(next), events, receipts, checkpoints, problem };
    const head = history.append(entry, tail, before.head);
    replaceFile(hookPath, prepared.encode(head), shared);
    return { ...next, head };
  }

  function hookMdOf(hook: HookFile): Buffer {
    // Keys that cannot be used keep no task from continuing: its receipts are then not verified here.
    const found: Verdicts = unlessThrown(() => verdicts(hook), new Map());
    const wrong = unlessThrown(() => receiptProblems(hook), []);
    return Buffer.from(
      render(hook, found, {
        ...{ dir, version, receiptProblems: wrong },
        quarantined: quarantinedFiles(dir, fs),
      }),
    );
  }

  function writeHookMd(bytes: Uint8Array): void {
    if (fs.lstat(hookMdPath)?.kind === "directory") fs.rename(hookMdPath, freeName());
    replaceFile(hookMdPath, bytes, { ...shared, keepPrevious: false });
  }

  /** For a folder at HOOK.md's place, which no file can replace. */
  function freeName(): string {
    const base = `${hookMdPath}.damaged-${now()
      .toISOString()
      .replaceAll(/[-:]|\.\d+/g, "")}`;
    let name = base;
    for (let count = 2; fs.lstat(name) !== undefined; count += 1) name = `${base}-${count}`;
    return name;
  }

  function mendHookMd(hook: HookFile): void {
    const wanted = hookMdOf(hook);
    if (!isFile(wanted)) writeHookMd(wanted);
  }

  function isFile(wanted: Buffer): boolean {
    try {
      const found = readWholeFile(hookMdPath, { fs, maxBytes: wanted.length });
      return found !== undefined && wanted.equals(found);
    } catch (error) {
      if (error instanceof DurableError) return false; // a link, a FIFO, or longer
      throw error;
    }
  }

  /** So that what is read is on disk, and what killed processes have left is gone. */
  function recover(): void {
    const ours: readonly string[] = [TASK_FILES.hook, TASK_FILES.hookMd];
    recoverDirectory(dir, {
      fs: shared.fs,
      accept: (name) => ours.includes(name),
      // Who has the lock is told beside it, by who has it.
      sweep: (name) => name === `${TASK_FILES.hookLock}.owner.json`,
    });
    const newest = historyFileName(history.newest());
    recoverDirectory(historyDir, { fs: hidden.fs, accept: (name) => name === newest });
  }

  return {
    dir,

    makeFolder: () => makeFolder(hidden.fs, dir, dirname),

    isThere: () => fs.lstat(dir) !== undefined,

    create(task) {
      if (fs.lstat(join(dir, TASK_FILES.tombstone)) !== undefined || inspect() !== undefined) {
        throw new HookFileError("ERR_EXISTS", `${dir}: there is, or was, a task`);
      }
      const { hook, event } = transitionOnce(undefined, { type: "init", task }, { now: now() });
      const stored = commit(hook, { hook, events: [event] }, 1);
      writeHookMd(hookMdOf(stored));
      return stored;
    },

    open() {
      recover();
      const found = inspect();
      if (found === undefined) return undefined;
      const { hook } = repair(found);
      mendHookMd(hook);
      return { hook, source: found.source, problems: found.problems };
    },

    read: () => inspect(history.viewFromEnd)?.hook,

    update(change) {
      const found = inspect();
      if (found === undefined) throw new HookFileError("ERR_NO_TASK", `${dir}: there is no task`);
      const { hook, tail } = repair(found);
      if (hook !== found.hook || !found.isWritten) mendHookMd(hook);
      const changed = change(hook);
      if (changed === undefined) return hook;
      checkChange(hook, changed);
      const stored = commit(hook, changed, tail);
      writeHookMd(hookMdOf(stored));
      return stored;
    },

    *records() {
      const loaded = load();
      const head =
        loaded === undefined || loaded instanceof DurableError ? undefined : loaded.value.head;
      let last: HistoryHead | undefined;
      for (const item of history.all()) {
        if (item.kind === "record") {
          last = item.record.head;
          yield item.record;
        } else if (!item.isKnown) throw new HookFileError("ERR_DAMAGED", item.message);
      }
      if (head === undefined || isUpTo(head, last)) return;
      throw new HookFileError("ERR_DAMAGED", `${nameOf(head)}: the history ends before it`);
    },
  };
}

function unlike(how: string): HookFileError {
  return new HookFileError("ERR_INVALID_HOOK_FILE", `the file ${how}`);
}

function isUpTo(head: HistoryHead, last: HistoryHead | undefined): boolean {
  if (last === undefined || last.file !== head.file) return (last?.file ?? 0) > head.file;
  return last.record >= head.record;
}

function nameOf({ file, record }: HistoryHead): string {
  return `${historyFileName(file)}: record ${record}`;
}

/**
 * A crash may leave hook.json under its other name only, whole: that is none. A generation has two
 * names: it is told once.
 */
function problemsOf(errors: readonly Error[]): readonly Problem[] {
  const isDamage = (error: Error): boolean => !("code" in error) || error.code !== "ERR_MISSING";
  const messages = errors.filter(isDamage).map(({ message }) => message);
  return [...new Set(messages)].map((message) => ({ code: "damaged_hook", message }));
}

function problemsIn(found: Pick<Continuation, "isTorn" | "damage">): readonly Problem[] {
  const problems: Problem[] = [];
  if (found.isTorn) problems.push(TORN);
  if (found.damage !== undefined) {
    problems.push({ code: "damaged_history", message: found.damage });
  }
  return problems;
}

const TORN: Problem = {
  code: "torn_history",
  message: "the history ends in a record that was never finished: a crash came",
};

function unlessThrown<T>(look: () => T, otherwise: T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
