import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { Repository } from "@quasar/git";
import { commitFolder } from "@quasar/git/depot";
import { gitFoldersAt, plainHead } from "@quasar/git/internal";
import { NebulaError } from "../errors.ts";
import type { NebulaHome } from "../state/home.ts";
import type { Lease } from "../port/index.ts";
import { depotNames } from "./depot-names.ts";
import { Queue } from "./queue.ts";
import { pushWhenReached, type Reach } from "./reach.ts";
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

/** How long changes are gathered before they are copied, in milliseconds. */
const GATHER_MS = 1000;

/** Keeps a copy of a run at the depot, under the epoch of its worker, so that another machine continues it. */
export class RunCopier {
  readonly #options: RunCopierOptions;
  #timer: NodeJS.Timeout | undefined;
  #last = "";
  readonly #queue = new Queue();

  constructor(options: RunCopierOptions) {
    this.#options = options;
  }

  /** Something of the run has changed: it is copied soon. */
  changed(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#push().catch((error: unknown) => this.#failed(error));
    }, GATHER_MS);
  }

  /** Returns once the depot has all there is. @throws the signal's reason; `ERR_USAGE` where the depot refuses it. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    await this.#push();
  }

  /** The same, for so long: what the depot has not taken by then follows later, or with the last flush. */
  async flushFor(mostMs: number): Promise<void> {
    const over = new AbortController();
    const late = sleep(mostMs, undefined, { signal: over.signal }).catch(() => {});
    await Promise.race([this.flush().catch((error: unknown) => this.#failed(error)), late]);
    over.abort();
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
    markRun(home, { work: lease.work, runId, commit: run });
  }
}
