import type { Repository } from "@quasar/git";
import { fetchFromDepot } from "@quasar/git/depot";
import { treeOfCommit } from "@quasar/git/internal";
import { commitTree, type MergeFolder } from "@quasar/git/landing";
import { NebulaError } from "../errors.ts";
import { AUTHOR } from "../landing/conflict-commit.ts";
import type { Epoch } from "../port/index.ts";
import { depotNames } from "./depot-names.ts";
import { pushWhenReached, type Reach, whenReached } from "./reach.ts";

export interface LaneRefOptions {
  readonly repository: Repository;
  readonly mergeFolder: MergeFolder;
  readonly depot: string;
  readonly reach: Reach;
  readonly nebula: string;
  readonly epoch: Epoch;
  readonly signal: AbortSignal;
}

/**
 * The ref at the depot that moves with each landing in the same push: a conductor whose lane was taken over finds it
 * somewhere else than it expects, and cannot push.
 */
export class LaneRef {
  readonly #options: LaneRefOptions;
  #at = "";

  constructor(options: LaneRefOptions) {
    this.#options = options;
  }

  /** Takes it from its holder before, as soon as the depot is in reach. @param base - A commit that is here. */
  async take(base: string): Promise<void> {
    const { repository, depot, reach, nebula, epoch, signal } = this.#options;
    const { lane: ref } = depotNames(nebula);
    const fetchLane = (): ReturnType<typeof fetchFromDepot> =>
      fetchFromDepot(repository, { url: depot, wants: [{ ref }], signal });
    for (;;) {
      const found = await whenReached(fetchLane, { signal, reach, depot });
      const from = found.get(ref) ?? "";
      const to = await this.#commit(from, base, `conductor ${epoch.n} ${epoch.writer}`);
      const pushed = await pushWhenReached(repository, {
        ...{ url: depot, signal, reach },
        updates: [{ ref, from, to }],
      });
      if (pushed.kind === "pushed") {
        this.#at = to;
        return;
      }
      if (pushed.kind !== "stale") throw unpushed(depot, pushed.message);
    }
  }

  /**
   * Moves the branch at the depot by one landing, as soon as the depot is in reach.
   *
   * @returns `stale`: the branch, or the lane, is somewhere else.
   */
  async land(landing: {
    readonly branch: string;
    readonly onto: string;
    readonly candidate: string;
  }): Promise<"landed" | "stale"> {
    const { repository, depot, reach, nebula, signal } = this.#options;
    const { branch, onto, candidate } = landing;
    const { lane } = depotNames(nebula);
    const next = await this.#commit(this.#at, candidate, `landing ${candidate}`);
    const updates = [
      { ref: `refs/heads/${branch}`, from: onto, to: candidate },
      { ref: lane, from: this.#at, to: next },
    ];
    const pushed = await pushWhenReached(repository, { url: depot, updates, signal, reach });
    if (pushed.kind === "pushed") {
      this.#at = next;
      return "landed";
    }
    if (pushed.kind === "stale") return "stale";
    throw unpushed(depot, pushed.message);
  }

  async #commit(parent: string, of: string, message: string): Promise<string> {
    const { repository, mergeFolder, signal } = this.#options;
    const tree = await treeOfCommit(repository.root, of, { signal });
    if (tree === undefined) throw new NebulaError("ERR_DAMAGED", `git has no tree of ${of}`);
    const parents = parent === "" ? [] : [parent];
    const made = { tree, parents, message, author: AUTHOR, atSeconds: 0, signal };
    return commitTree(mergeFolder, made);
  }
}

function unpushed(depot: string, why: string): NebulaError {
  const message = `nothing lands: ${depot} does not take the branch: ${why}`;
  return new NebulaError("ERR_BRANCH", message);
}
