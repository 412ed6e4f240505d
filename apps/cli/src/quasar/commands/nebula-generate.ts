import { relative, resolve as resolvePath } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { currentGitSha } from "@quasar/git";
import type { LoopEvent, TaskResult } from "@quasar/loop";
import type { LoadedNebula, SpecProblem } from "@quasar/nebula/spec";
import { openUser, openWorkspace, repositoryOf } from "@quasar/runs/internal";
import { cleanLine, count, jsonLine, money, shellWord } from "@quasar/runs/text";
import { createAgents, withAbsoluteScripts } from "../../shared/agents.ts";
import { periodMs } from "../../shared/config/kinds.ts";
import { type FlagValues, resolve } from "../../shared/config/layers.ts";
import type { Settings } from "../../shared/config/settings.ts";
import { loadTrusted } from "../../shared/config/trust.ts";
import { CliError, type CliErrorCode } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { exitOfInterrupt, listenForInterrupts } from "../../shared/interrupts.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { doneWords } from "@quasar/runs/words";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { loadConfig } from "../config/load.ts";
import { answeredFiles } from "../generate/answer-files.ts";
import {
  acceptDraft,
  defaultFolder,
  targetFolder,
  type TargetFolder,
  writeDraft,
} from "../generate/folder.ts";
import { openReadingRoom, type ReadingRoom } from "../generate/reading-turn.ts";
import { planningRequest, type Refused } from "../generate/request.ts";
import { problemLines } from "../nebula/problem-lines.ts";
import type { NebulaGenerateLine } from "../schemas/nebula-generate.ts";

export interface NebulaGenerateOptions {
  readonly flags: FlagValues;
  readonly dir?: string | undefined;
  readonly force?: true | undefined;
  readonly trustConfig?: true | undefined;
  readonly json?: true | undefined;
}

/** How often an agent is asked before it is given up. */
const MOST_ATTEMPTS = 3;

/** `quasar nebula generate`: has an agent read the repository and write a nebula, which is checked and nothing more. */
export async function nebulaGenerateCommand(
  wish: string,
  options: NebulaGenerateOptions,
): Promise<ExitCode> {
  if (wish.trim() === "") throw new CliError("ERR_USAGE", "what to plan is empty");
  const dir = options.dir === undefined ? defaultFolder(slugOf(wish)) : resolvePath(options.dir);
  const target = targetFolder(dir, options.force === true);
  const workspace = await openWorkspace(process.cwd());
  const { root } = workspace;
  const { folders } = openUser();
  const layers = await loadTrusted(options.trustConfig === true, (trust) =>
    loadConfig({
      ...{ flags: options.flags, cwd: process.cwd(), root, folders, env: process.env, trust },
    }),
  );
  const settings = withAbsoluteScripts(resolve(layers), process.cwd());
  const { coder, coderModel } = settings;
  const alone = { ...settings, reviewer: coder, reviewerModel: coderModel };
  const agent = createAgents(alone, { start: 'quasar nebula generate "…"' }).coder;
  const view = viewOf(process.stdout);
  const isJson = options.json === true;
  const say = (label: string, text: string): void => {
    if (!isJson) write(process.stdout, labelled(view, label, cleanLine(text)));
  };
  const interrupts = listenForInterrupts((name) => say("", `${name}: stopping.`));
  let room: ReadingRoom | undefined;
  try {
    const commit = await currentGitSha(root);
    room = await openReadingRoom(repositoryOf(workspace), commit, interrupts.signal);
    const planning = { settings, agent, room, target, say, signal: interrupts.signal };
    const generated = await generate(wish, planning, (problems) => {
      if (!isJson) write(process.stdout, problemLines(problems, view));
    });
    return report(generated, target, { isJson });
  } catch (error) {
    return exitOfInterrupt(interrupts, error);
  } finally {
    interrupts.stop();
    await room?.close();
  }
}

interface Planning {
  readonly settings: Settings;
  readonly agent: AgentInvoker;
  readonly room: ReadingRoom;
  readonly target: TargetFolder;
  readonly say: (label: string, text: string) => void;
  readonly signal: AbortSignal;
}

interface Generated {
  /** `undefined`: the last draft has no nebula.toml. */
  readonly loaded: LoadedNebula | undefined;
  readonly problems: readonly SpecProblem[];
  /** From 1. */
  readonly attempt: number;
  readonly spentUsd: number;
}

/** Asks until an answer is a nebula, or often enough. */
async function generate(
  wish: string,
  { settings, agent, room, target, say, signal }: Planning,
  tellProblems: (problems: readonly SpecProblem[]) => void,
): Promise<Generated> {
  const { maxBudgetUsd, retries, waitLimit } = settings;
  let refused: Refused | undefined;
  let spentUsd = 0;
  for (let attempt = 1; ; attempt += 1) {
    say("attempt", `${attempt} of ${MOST_ATTEMPTS}: ${agent.name} reads the repository`);
    const answered = await room.ask(planningRequest(wish, refused), {
      ...{ agent, retries, signal },
      maxBudgetUsd: leftOf(maxBudgetUsd, spentUsd),
      waitLimitMs: periodMs(waitLimit) ?? 0,
      onEvent: (event) => tellTurn(event, say),
      say: (message) => say("", message),
      waiting: ({ message }) => say("", `waits for a usage limit: ${message}`),
    });
    spentUsd += answered.totalCostUsd;
    signal.throwIfAborted();
    requireAnswer(answered);
    const answer = answered.checkpoint.coderOutput;
    const { files, problems: odd } = answeredFiles(answer);
    const loaded = writeDraft(target, files);
    const wrong = [...odd, ...(loaded?.spec?.phases.length === 0 ? [NO_PHASES] : [])];
    const problems = [...wrong, ...(loaded?.problems ?? [])];
    const isValid = wrong.length === 0 && loaded?.spec !== undefined;
    if (isValid || attempt === MOST_ATTEMPTS) return { loaded, problems, attempt, spentUsd };
    tellProblems(problems);
    refused = { answer, problems };
  }
}

/** A nebula may be planned without phases; one that an agent writes has them. */
const NO_PHASES: SpecProblem = {
  ...{ category: "missing_field", severity: "error", file: "nebula.toml" },
  message:
    "the nebula has no phases: each is a file whose front matter stands between two lines +++",
};

/** A budget of which nothing is left, as 0 is none at all. */
const NOTHING_USD = 1e-9;

function leftOf(maxBudgetUsd: number, spentUsd: number): number {
  return maxBudgetUsd === 0 ? 0 : Math.max(NOTHING_USD, maxBudgetUsd - spentUsd);
}

function tellTurn(event: LoopEvent, say: Planning["say"]): void {
  if (event.type !== "agent_done") return;
  say("agent", doneWords(event));
}

/** @throws {CliError} where the agent has not answered */
function requireAnswer({ outcome, message, agentFailure }: TaskResult): void {
  if (outcome === "approved") return;
  const code: CliErrorCode =
    agentFailure?.kind === "rate-limit"
      ? "ERR_LIMIT"
      : outcome === "budget"
        ? "ERR_BUDGET"
        : outcome === "agent"
          ? "ERR_AGENT"
          : "ERR_STATE";
  throw new CliError(code, cleanLine(message));
}

function report(
  { loaded, problems, attempt, spentUsd }: Generated,
  target: TargetFolder,
  { isJson }: { readonly isJson: boolean },
): ExitCode {
  const spec = problems.some(({ severity }) => severity === "error") ? undefined : loaded?.spec;
  const before = spec === undefined ? undefined : acceptDraft(target);
  const dir = spec === undefined ? target.draft : target.dir;
  const typed = shellWord(relative(process.cwd(), dir) || dir);
  const exit = spec === undefined ? EXIT.usage : EXIT.ok;
  const next =
    spec === undefined ? [`quasar nebula validate ${typed}`] : [`quasar nebula plan ${typed}`];
  if (isJson) {
    const phaseIds = spec?.phases.map(({ id }) => id) ?? [];
    const facts = { dir, nebula: spec?.name ?? "", phaseIds, problems, attempt, spentUsd };
    const line = result("nebula_generate", facts, exit, next) satisfies NebulaGenerateLine;
    process.stdout.write(jsonLine(line));
    return exit;
  }
  const view = viewOf(process.stdout);
  const head =
    spec === undefined
      ? `no answer of ${count(attempt, "attempt")} is a valid nebula; the last is in ${cleanLine(typed)}`
      : `${cleanLine(spec.name)}: ${count(spec.phases.length, "phase")} in ${cleanLine(typed)}`;
  write(process.stdout, [
    view.paint("bold", head),
    ...problemLines(problems, view),
    ...labelled(view, "cost", money(spentUsd)),
    ...(before === undefined
      ? []
      : labelled(view, "before", `${cleanLine(before)} has what was there`)),
    ...nextLines(next, view),
  ]);
  return exit;
}

/** The first words of a wish, as the name of a folder. */
function slugOf(wish: string): string {
  const words = wish.toLowerCase().match(/[a-z0-9]+/gu) ?? [];
  return words.slice(0, 5).join("-").slice(0, 40) || "nebula";
}
