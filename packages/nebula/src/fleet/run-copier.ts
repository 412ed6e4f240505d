import { existsSync } from "node:fs";
import type { Repository } from "@quasar/git";
import { commitFolder } from "@quasar/git/depot";
import { gitFoldersAt, plainHead } from "@quasar/git/internal";
import { NebulaError } from "../errors.ts";
import type { NebulaHome } from "../state/home.ts";
import type { Lease } from "../port/index.ts";
import { depotNames } from "./depot-names.ts";
import { Queue } from "./queue.ts";
import { pause, pushWhenReached, type Reach } from "./reach.ts";
import { copyRun, markRun, staysHere } from "./run-folder.ts";

export interface RunCopierOptions {
  readonly repository: Repository;
  readonly home: NebulaHome;
  readonly depot: string;
  readonly reach: Reach;
  readonly lease: Pick<Lease, "nebula" | "work" | "epoch">;
  readonly runId: string;
  readonly runDir: string;
  /** Absolute path of the phase's work tree, which need not be there yet. */
  readonly tree: string;
  /** The folder of this copier alone. */
  readonly staging: string;
  readonly signal: AbortSignal;
  /** Where it cannot be copied for now. */
  readonly warn: (message: string) => void;
}

/** How long changes are gathered before they are copied, in milliseconds: what an agent says is most of all. */
const GATHER_MS = { run: 1000, turn: 5000 } as const;

/** How often is tried what the depot refuses: somebody may just have a lock. */
const TRIES = 3;

/** Keeps a copy of a run at the depot, under the epoch of its worker, so that another machine continues it. */
export class RunCopier {
  readonly #options: RunCopierOptions;
  #timer: NodeJS.Timeout | undefined;
  /** When that is over, by the steady clock. */
  #at = 0;
  #last = "";
  readonly #queue = new Queue();

  constructor(options: RunCopierOptions) {
    this.#options = options;
  }

  /** Something has changed of the run, or of a turn's output only: it is copied soon. */
  changed(what: keyof typeof GATHER_MS): void {
    const at = performance.now() + GATHER_MS[what];
    if (this.#timer !== undefined && this.#at <= at) return;
    clearTimeout(this.#timer);
    this.#at = at;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#push().catch((error: unknown) => this.#failed(error));
    }, GATHER_MS[what]);
  }

  /** Returns once the depot has all there is. @throws the signal's reason; `ERR_USAGE` where the depot refuses it. */
  async flush(): Promise<void> {
    const { signal } = this.#options;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#push();
      } catch (error) {
        if (signal.aborted || tries === TRIES) throw error;
        await pause(signal);
      }
    }
  }

  #failed(error: unknown): void {
    const { warn, signal } = this.#options;
    if (!signal.aborted) warn(`the run is not copied: ${String(error)}`);
  }

  #push(): Promise<void> {
    return this.#queue.run(() => this.#pushNow());
  }

  async #pushNow(): Promise<void> {
    const { repository, home, depot, reach, lease, runId, runDir, tree, staging, signal } =
      this.#options;
    signal.throwIfAborted();
    if (!existsSync(runDir)) return;
    copyRun(runDir, staging);
    // Read after the folder was copied: the tree has each commit that the copy names.
    const folders = await gitFoldersAt(tree);
    const head = folders && plainHead(folders);
    const leaves = staysHere;
    // The same files give the same commit.
    const run = await commitFolder(repository, { dir: staging, leaves, atSeconds: 0, signal });
    const key = `${run} ${head ?? ""}`;
    if (key === this.#last) return;
    const names = depotNames(lease.nebula);
    const updates = [
      ...(head === undefined ? [] : [{ ref: names.tip(lease.work, runId, lease.epoch), to: head }]),
      { ref: names.run(lease.work, runId, lease.epoch), to: run },
    ].map((update) => ({ ...update, from: undefined }));
    const pushed = await pushWhenReached(repository, { url: depot, updates, signal, reach });
    if (pushed.kind === "refused") {
      throw new NebulaError("ERR_USAGE", `the depot refuses the run: ${pushed.message}`);
    }
    this.#last = key;
    markRun(home, { work: lease.work, runId, commit: run, isOwn: true });
  }
}
