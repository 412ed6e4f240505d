import {
  type AgentRole,
  type CostEstimate,
  type PlanItem,
  planResume,
  type UnfinishedTurn,
} from "@quasar/loop";
import { type Agents, createAgents } from "../agents.ts";
import { flagLayer, resolve } from "../config/layers.ts";
import { EXIT, type ExitCode } from "../exit-codes.ts";
import { describe, lockHolder } from "../lock.ts";
import { findAlive, findOutliving } from "../orphans.ts";
import { cleanLine, jsonLine } from "../output/clean.ts";
import { money } from "../output/format.ts";
import { JSON_VERSION, viewOf, write } from "../output/reporter.ts";
import { firstLine, labelled, nextLines, type Style } from "../output/text.ts";
import { findCheckpoint } from "../resume/find.ts";
import { acceptedBy, inspect, judge, loopOverrides } from "../resume/judge.ts";
import { limitOf, patienceOf } from "../resume/limit.ts";
import { layersOf } from "../resume/settings.ts";
import { parseRunId } from "../run-id.ts";
import { openRunIds } from "../runs/list.ts";
import { resumeCommand } from "../runs/summary.ts";
import { isTurnOpen, unfinishedTurn } from "../runs/turn.ts";
import { openUser } from "../user.ts";
import { openWorkspace } from "../workspace.ts";
import type { ResumeOptions } from "./resume.ts";

/**
 * `quasar resume --plan`: says what the same command without it would do. Takes no lock and writes
 * nothing, so it can be asked while somebody works.
 */
export async function planCommand(
  id: string | undefined,
  options: ResumeOptions,
): Promise<ExitCode> {
  const wanted = id === undefined ? undefined : parseRunId(id);
  const flags = flagLayer(options.flags);
  const workspace = await openWorkspace(process.cwd());
  const user = openUser();
  const found = await findCheckpoint(workspace, wanted, user.existingSealKey(), (store) =>
    store.load(),
  );
  const { runId, loaded } = found;
  const { checkpoint } = loaded;
  // Nothing is trusted by asking.
  const settings = resolve([flags, ...layersOf(found, user, {}, workspace.root)]);
  const agents = createAgents(settings);
  const accepts = acceptedBy(options);
  const others = openRunIds(workspace).filter((other) => other !== runId);
  const turn = isTurnOpen(checkpoint) ? unfinishedTurn(workspace, checkpoint) : undefined;
  const [facts, alive, seen] = await Promise.all([
    inspect(workspace, found),
    findOutliving(others).then((outliving) => findAlive(workspace, outliving)),
    turn && lookFor(agents, turn),
  ]);
  const { obstacles, assessment } = judge(found, facts);
  const { maxCycles, maxBudgetUsd } = settings;
  const accepted = loopOverrides(accepts);
  const limits = { agents, accepted, maxCycles, maxBudgetUsd };
  const plan = planResume(checkpoint, assessment, seen, limits);

  const holder = lockHolder(workspace);
  const ours: Item[] = [];
  if (holder !== undefined) {
    ours.push(refused("lock", `another quasar works on this tree: ${describe(holder)}`));
  }
  for (const error of alive) ours.push(refused("agent", error.message));
  for (const { what, error } of obstacles) {
    if (what !== undefined && accepts.has(what)) {
      ours.push({ kind: "accepted", words: error.message, data: { what } });
    } else if (what === "trust") {
      ours.push(refused("trust", error.message));
    }
  }
  for (const message of loaded.problems) ours.push({ kind: "restored", words: message, data: {} });

  const retryAt = options.now === true ? undefined : limitOf(checkpoint, settings);
  const patience = retryAt === undefined ? undefined : patienceOf(retryAt, settings);
  const rest = plan.items.filter(({ kind }) => kind !== "waits");
  if (patience !== undefined && retryAt !== undefined) {
    rest.push({ kind: "waits", words: patience.words, data: { retryAt } });
  }
  const items = [...ours, ...rest];
  const isRefused = items.some(({ kind }) => kind === "refused");
  const stops = patience?.isEnough === false;
  const exit = isRefused ? EXIT.refused : stops ? EXIT.limit : EXIT.ok;
  const next = [
    ...alive.flatMap((error) => error.next),
    ...obstacles
      .filter(({ what }) => what === undefined || !accepts.has(what))
      .flatMap(({ error }) => error.next),
    ...(rest.some(isUsedUp) ? [resumeCommand(runId, checkpoint)] : []),
    ...(stops ? (patience?.next(runId) ?? []) : []),
  ];
  const steps = exit === EXIT.ok ? ["the same command without --plan"] : next;
  if (options.json === true) {
    const { estimate } = plan;
    const { verdict, head, branch } = assessment;
    const tree = { verdict, head, branch };
    const facts = { runId, task: checkpoint.taskTitle, exit, items, estimate, ...tree };
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "plan", ...facts, next: steps }));
    return exit;
  }
  const view = viewOf(process.stdout);
  const title = `run ${runId} ${exit === EXIT.ok ? "can go on" : VERDICTS[exit]}`;
  write(process.stdout, [
    view.paint("bold", title),
    ...labelled(view, "task", firstLine(checkpoint.taskTitle)),
    ...items.flatMap(({ kind, words }) => labelled(view, kind, cleanLine(words), STYLES[kind])),
    ...labelled(view, "cost", costWords(plan.estimate)),
    ...nextLines(steps, view),
  ]);
  return exit;
}

const VERDICTS: Readonly<Partial<Record<ExitCode, string>>> = {
  [EXIT.refused]: "would be refused",
  [EXIT.limit]: "would stop for a usage limit",
};

const STYLES: Readonly<Partial<Record<Item["kind"], Style>>> = {
  refused: "red",
  accepted: "yellow",
  waits: "yellow",
  "run-again": "yellow",
};

/** What the command adds to the loop's items: what the user's flags accept. */
type Item = Omit<PlanItem, "kind"> & { readonly kind: PlanItem["kind"] | "accepted" };

/** Whether a limit of the run stands against it, which a flag can raise. */
function isUsedUp({ kind, data }: PlanItem): boolean {
  return kind === "refused" && (data["check"] === "max_cycles" || data["check"] === "budget");
}

function costWords({ likelyUsd, atMostUsd }: CostEstimate): string {
  if (atMostUsd === 0) return "nothing more";
  const likely =
    likelyUsd === undefined
      ? "no turn tells yet what is likely"
      : `likely ${money(likelyUsd)} up to the end of the cycle`;
  return `${likely}; ${atMostUsd === undefined ? "no limit" : `at most ${money(atMostUsd)}`}`;
}

function refused(check: string, words: string): PlanItem {
  return { kind: "refused", words, data: { check } };
}

/** What has become of a turn whose end is not known. */
async function lookFor(
  agents: Agents,
  turn: UnfinishedTurn,
): ReturnType<NonNullable<Agents[AgentRole]["find"]>> {
  const found = await agents[turn.request.role].find?.(turn);
  return found ?? { state: "unknown" };
}
