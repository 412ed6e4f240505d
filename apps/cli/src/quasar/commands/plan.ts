import type { CostEstimate } from "@quasar/loop/resume";
import type { Plan } from "@quasar/runs";
import {
  findCheckpoint,
  type Item,
  makePlan,
  parseRunId,
  openUser,
  openWorkspace,
} from "@quasar/runs/internal";
import { cleanLine, jsonLine, money, firstLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { acceptedBy } from "../resume/accepted.ts";
import { flagLayer, resolve } from "../../shared/config/layers.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type Style } from "../../shared/output/text.ts";
import { stepsInWords } from "../next-steps.ts";
import { layersOf, resumedWith } from "../resume/settings.ts";
import { withTyped } from "../../shared/typed.ts";
import { refusePhaseRun } from "../nebula/phase-run.ts";
import { orNebula } from "../nebula/unfinished.ts";
import type { PlanLine } from "../schemas/plan.ts";
import type { ResumeOptions } from "./resume.ts";

/**
 * `quasar resume --plan`: says what the same command without it would do. Takes no lock and writes
 * nothing, so it can be asked while somebody works.
 */
export async function planCommand(
  id: string | undefined,
  options: ResumeOptions,
): Promise<ExitCode> {
  if (options.watch === true) {
    throw new CliError(
      "ERR_USAGE",
      "--plan or --watch, not both: a plan starts nothing that could be watched",
    );
  }
  const wanted = id === undefined ? undefined : parseRunId(id);
  const flags = flagLayer(options.flags);
  const workspace = await openWorkspace(process.cwd());
  await refusePhaseRun(workspace, wanted);
  const user = openUser();
  const key = user.existingSealKey();
  const found = await findCheckpoint(workspace, wanted, key, (store) => store.load()).catch(
    async (error: unknown) => {
      throw wanted === undefined ? await orNebula(error, workspace) : error;
    },
  );
  // Nothing is trusted by asking.
  const settings = resolve([flags, ...layersOf(found, user, {}, workspace.root)]);
  const accepts = acceptedBy(options);
  const now = options.now === true;
  const missing: CliError[] = [];
  const work = resumedWith(settings, found.loaded.checkpoint, (error) => void missing.push(error));
  const plan = await makePlan(workspace, found, { options: work, accepts, now });
  // What refuses the run itself comes first: whoever cannot have it needs no agent for it.
  for (const error of missing) if (plan.ends !== "refused") throw error;

  const { runId } = found;
  const { taskTitle: task } = found.loaded.checkpoint;
  const { items, estimate } = plan;
  const exit = EXITS[plan.ends];
  const steps = plan.ends === "ready" ? [WITHOUT_PLAN] : stepsInWords(plan.next);
  const next = steps.map((step) => withTyped(step, options.typed));
  if (options.json === true) {
    const { verdict: assessment, head: headSha, branch } = plan.assessment;
    const { atMostUsd, likelyUsd } = estimate;
    const facts = {
      runId,
      task,
      items,
      estimate: { atMostUsd, likelyUsd },
      assessment,
      headSha,
      branch,
    };
    process.stdout.write(jsonLine(result("plan", facts, exit, next) satisfies PlanLine));
    return exit;
  }
  const view = viewOf(process.stdout);
  write(process.stdout, [
    view.paint("bold", `run ${runId} ${VERDICTS[exit] ?? "can be resumed"}`),
    ...labelled(view, "task", firstLine(task)),
    ...items.flatMap(({ kind, message }) =>
      labelled(view, LABELS[kind] ?? kind, cleanLine(message), STYLES[kind]),
    ),
    ...labelled(view, "cost", estimateWords(estimate)),
    ...nextLines(next, view),
  ]);
  return exit;
}

/** That has all that was typed. */
const WITHOUT_PLAN = "the same command without --plan";

const EXITS: Readonly<Record<Plan["ends"], ExitCode>> = {
  ready: EXIT.ok,
  refused: EXIT.refused,
  budget: EXIT.budget,
  limit: EXIT.limit,
};

const VERDICTS: Readonly<Partial<Record<ExitCode, string>>> = {
  [EXIT.refused]: "would be refused",
  [EXIT.budget]: "would be stopped: budget used up",
  [EXIT.limit]: "would stop for a usage limit",
};

const LABELS: Readonly<Partial<Record<Item["kind"], string>>> = { "run-again": "again" };

const STYLES: Readonly<Partial<Record<Item["kind"], Style>>> = {
  refused: "red",
  accepted: "yellow",
  waits: "yellow",
  "run-again": "yellow",
};

function estimateWords({ likelyUsd, atMostUsd, rolesWithoutCost }: CostEstimate): string {
  if (atMostUsd === 0) return "nothing more";
  const likely =
    likelyUsd === undefined
      ? `unknown (no finished ${rolesWithoutCost.join(" and ")} turn yet)`
      : `likely ${money(likelyUsd)} up to the end of the cycle`;
  return `${likely}; ${atMostUsd === undefined ? "no limit" : `at most ${money(atMostUsd)}`}`;
}
