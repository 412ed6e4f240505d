import type { Workspace } from "@quasar/runs";
import { locateRun, lockHolder, openWorkspace, runIds } from "@quasar/runs/internal";
import { CliError } from "../../shared/errors.ts";
import { nebulaeOf, workspaceOfRun } from "../nebula/phase-run.ts";

/** A run or a nebula that a person looks at, and from where. */
export interface Watched {
  readonly kind: "run" | "nebula";
  readonly id: string;
  /** Of a run: where it is kept. */
  readonly workspace: Workspace;
}

const RUN_ID = /^\d{8}-\d{6}-[0-9a-f]{6}$/u;

/**
 * What a person means to watch: by its name, else what works now, else what is the newest.
 *
 * @throws {CliError} `ERR_NOTHING_TO_RESUME` where there is neither a run nor a nebula.
 */
export async function findWatched(named: string | undefined): Promise<Watched> {
  if (named !== undefined && RUN_ID.test(named)) {
    const workspace = await workspaceOfRun(named);
    return { kind: "run", id: locateRun(workspace, named).id, workspace };
  }
  const workspace = await openWorkspace(process.cwd());
  if (named === undefined) return findUnnamed(workspace);
  const { findNebula } = await import("@quasar/nebula");
  const { id } = findNebula(workspace.repositoryId, named);
  return { kind: "nebula", id, workspace };
}

async function findUnnamed(workspace: Workspace): Promise<Watched> {
  const known = await nebulaeOf(workspace);
  const nebulae = known?.all() ?? [];
  const [run] = runIds(workspace);
  const own = run === undefined ? undefined : ({ kind: "run", id: run, workspace } as const);
  const ofNebula = (id: string): Watched => ({ kind: "nebula", id, workspace });
  const worked = nebulae.find((each) => known?.isWorkedOn(each) === true);
  if (worked !== undefined) return ofNebula(worked.id);
  const [nebula] = nebulae;
  const working = lockHolder(workspace)?.runId;
  if (working !== undefined) return { kind: "run", id: working, workspace };
  if (nebula !== undefined && (run === undefined || momentOf(run) < nebula.createdAt)) {
    return ofNebula(nebula.id);
  }
  if (own !== undefined) return own;
  throw new CliError("ERR_NOTHING_TO_RESUME", "there is no run and no nebula here yet", {
    next: ['quasar run "…"', "quasar nebula apply DIR --auto"],
  });
}

/** When a run began, by its id: RFC 3339, to the second. */
function momentOf(runId: string): string {
  const [, date = "", time = ""] = /^(\d{8})-(\d{6})/u.exec(runId) ?? [];
  const day = date.replace(/(....)(..)/u, "$1-$2-");
  return `${day}T${time.replace(/(..)(..)/u, "$1:$2:")}Z`;
}
