/** What an operating system tells of its processes. All calls are synchronous. */
export interface System {
  /**
   * The same for all processes that are counted together, another after each boot and in each
   * container; `undefined` where nobody can know.
   */
  readonly bootId: () => string | undefined;
  readonly look: (pid: number) => Look;
  /** All processes that can be seen, as they are now; `undefined` where nobody can know. */
  readonly list: () => readonly ListedProcess[] | undefined;
  /**
   * Absolute paths of the working folders of processes, without those that have ended or cannot be seen;
   * `undefined` where nobody can know.
   */
  readonly workTrees: (pids: readonly number[]) => ReadonlyMap<number, string> | undefined;
  /**
   * @param label - By which it is found again, after its maker has died.
   * @returns `undefined` where there is nothing that could hold a process.
   */
  readonly contain: (label: string) => Container | undefined;
  /**
   * Ends what the containers hold that anybody has made with one of the labels, or with one that begins with it
   * and a dot, and takes them away; not one that this process is in.
   */
  readonly endContained: (labels: readonly string[]) => Promise<void>;
  /** How many files a process like this one may have open; `undefined` where nobody can know. */
  readonly openFiles: () => number | undefined;
  /** How the program `sync` is told to flush the file system of a folder. */
  readonly sync: (dir: string) => Sync;
}

export interface Sync {
  readonly args: readonly string[];
  /** Whether all is flushed when it ends; else that is only scheduled. */
  readonly isDone: boolean;
}

/** What is seen of one process. */
export type Look =
  | {
      readonly state: "running";
      /** When it was started, in units of the system that only a comparison may look at. */
      readonly startTime: number;
    }
  /** It has ended, whether or not its parent has taken note. */
  | { readonly state: "ended" }
  /** Something has this id, and the system says no more. */
  | { readonly state: "unknown" };

/** A process in a listing. What has ended meanwhile has no variables. */
export interface ListedProcess {
  readonly pid: number;
  /** 1 where the parent has ended. */
  readonly parent: number;
  /** Id of its process group. */
  readonly group: number;
  /** A variable that it was started with; `undefined` where it has none, and where that cannot be seen. */
  readonly variable: (name: string) => string | undefined;
  /** The same of what has the id now, where that can be seen: ids come again. */
  readonly variableNow: (name: string) => string | undefined;
}

/** Holds a process and all that it starts, in whatever session, with whatever variables. */
export interface Container {
  /** @throws as the system does where it cannot be put in */
  add(pid: number): void;
  /** Ends, at once, what is in it, and takes it away. */
  end(): Promise<void>;
}

/** A limit as systems write it; `undefined` for what is none. */
export function limitOf(text: string | undefined): number | undefined {
  if (text === "unlimited") return Number.POSITIVE_INFINITY;
  return text !== undefined && /^\d+$/u.test(text) ? Number(text) : undefined;
}
