import type { Repository } from "@quasar/git";
import { fetchFromDepot } from "@quasar/git/depot";
import { isAncestor, refSha } from "@quasar/git/history";
import { compareAndSwapRef, workTreesOn } from "@quasar/git/landing";
import { openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, jsonLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { withFleetNebula } from "../fleet/nebula.ts";
import type { NebulaFetchLine } from "../schemas/fleet.ts";

export interface NebulaFetchOptions {
  readonly fleet?: string | undefined;
  readonly json?: true | undefined;
}

/** `quasar nebula fetch`: brings the branch of a nebula of a fleet into this repository. */
export async function nebulaFetchCommand(
  named: string | undefined,
  { fleet, json }: NebulaFetchOptions,
): Promise<ExitCode> {
  const repository = repositoryOf(await openWorkspace(process.cwd()));
  const interrupts = listenForInterrupts(() => {});
  const { signal } = interrupts;
  const step = (id: string): string => `quasar nebula fetch ${id}`;
  try {
    const meant = { fleet, named, step, isForEnded: true };
    return await withFleetNebula(meant, async ({ state, status, id }) => {
      const { branch, name } = state;
      const ref = `refs/heads/${branch}`;
      const before = await refSha(repository, ref, { signal });
      const got = await fetchFromDepot(repository, { url: status.depot, wants: [{ ref }], signal });
      const tip = got.get(ref);
      if (tip === undefined) {
        throw new CliError("ERR_NOT_FOUND", `the depot has no branch ${cleanLine(branch)}`);
      }
      if (
        before !== undefined &&
        (await isAncestor(repository, before, tip, { signal })) !== true
      ) {
        const message = `there is a branch ${cleanLine(branch)} here that has other commits`;
        const next = [`git branch --move ${shellWord(branch)} ${shellWord(`${branch}.before`)}`];
        throw new CliError("ERR_BRANCH", message, { next });
      }
      if (before !== tip) {
        await requireNoWorkTreeOn(repository, branch, signal);
        // Looked up at the depot once more it could be another one than was checked.
        const swap = { ref, from: before, to: tip, message: `quasar nebula fetch ${id}`, signal };
        if ((await compareAndSwapRef(repository, swap)) === "moved") {
          const message = `the branch ${cleanLine(branch)} here was moved meanwhile`;
          throw new CliError("ERR_BRANCH", message, { next: [step(id)] });
        }
      }
      const next = [`git log --oneline ${state.base.slice(0, 12)}..${shellWord(branch)}`];
      if (json === true) {
        const facts = { nebulaId: id, nebula: name, branch, tipSha: tip };
        const line = result("nebula_fetch", facts, EXIT.ok, next) satisfies NebulaFetchLine;
        process.stdout.write(jsonLine(line));
        return EXIT.ok;
      }
      const view = viewOf(process.stdout);
      write(process.stdout, [
        ...labelled(view, "fetched", `${cleanLine(branch)} is at ${tip.slice(0, 12)}`),
        ...nextLines(next, view),
      ]);
      return EXIT.ok;
    });
  } finally {
    interrupts.stop();
  }
}

/** Files of a work tree would look edited whose branch is moved under it. */
async function requireNoWorkTreeOn(
  repository: Repository,
  branch: string,
  signal: AbortSignal,
): Promise<void> {
  const [tree] = await workTreesOn(repository, branch, { signal });
  if (tree === undefined) return;
  const [what, ends] = USES[tree.use];
  throw new CliError("ERR_BRANCH", `${cleanLine(branch)} ${what} in ${cleanLine(tree.path)}`, {
    next: [`git -C ${shellWord(tree.path)} ${ends}`],
  });
}

const USES = {
  "checked-out": ["is checked out", "switch --detach"],
  rebase: ["is in a rebase", "rebase --abort"],
  bisect: ["is in a bisect", "bisect reset"],
} as const;
