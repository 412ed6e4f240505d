import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Repository } from "@quasar/git";
import { commitFolder, pushToDepot } from "@quasar/git/depot";
import { firstState } from "../engine/begin.ts";
import { NebulaError } from "../errors.ts";
import type { NebulaPort } from "../port/index.ts";
import type { LoadedNebula } from "../spec/load.ts";
import { branchOf } from "../state/branch.ts";
import { encodeState } from "../state/codec.ts";
import { nebulaHome } from "../state/home.ts";
import { NO_EVENTS } from "../state/recent-events.ts";
import type { NebulaState, TypedLimits } from "../state/state.ts";
import { depotNames } from "./depot-names.ts";

export interface SubmitOptions {
  readonly port: Pick<NebulaPort, "list" | "submit">;
  readonly repository: Repository;
  readonly loaded: LoadedNebula;
  /** The commit that it begins at: a full id. */
  readonly base: string;
  /** @default made from the name */
  readonly branch?: string | undefined;
  readonly depot: string;
  readonly typed: TypedLimits;
  readonly signal: AbortSignal;
}

/**
 * Has a fleet work on a nebula: its base, its branch and the copy of its files go to the depot, then it is known to the
 * server. Nothing of it is in this repository.
 *
 * @throws {NebulaError} `ERR_INVALID_NEBULA`; `ERR_BRANCH` where the depot has the branch already, or does not take it;
 *   {@link PortError}
 */
export async function submitNebula(options: SubmitOptions): Promise<NebulaState> {
  const { port, repository, loaded, base, depot, typed, signal } = options;
  const branch = options.branch ?? branchOf(loaded.spec?.name ?? "");
  // The depot has nothing of a nebula that no server takes: its branch would be in the way of the next try.
  await port.list();
  const folder = mkdtempSync(join(tmpdir(), "quasar-submit-"));
  try {
    const state = firstState(loaded, { commonDir: folder, base, branch, typed, now: new Date() });
    const dir = join(nebulaHome(folder, state.id).dir, "spec");
    const spec = await commitFolder(repository, { dir, atSeconds: 0, signal });
    const pushed = await pushToDepot(repository, {
      ...{ url: depot, signal },
      updates: [
        { ref: `refs/heads/${branch}`, from: "", to: base },
        { ref: depotNames(state.id).spec, from: "", to: spec },
      ],
    });
    if (pushed.kind === "stale") {
      const next = [{ note: "--branch NAME lands on another one" }];
      throw new NebulaError("ERR_BRANCH", `${depot} has a branch ${branch} already`, { next });
    }
    if (pushed.kind !== "pushed") {
      throw new NebulaError("ERR_BRANCH", `${depot} does not take the nebula: ${pushed.message}`);
    }
    const text = Buffer.from(encodeState({ state, recent: NO_EVENTS })).toString();
    await port.submit({ id: state.id, name: state.name, depot, state: text });
    return state;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
