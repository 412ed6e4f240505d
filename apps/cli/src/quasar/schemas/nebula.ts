import type { SpecProblem } from "@quasar/nebula/spec";
import * as v from "valibot";
import {
  flag,
  list,
  milliseconds,
  object,
  runId,
  sha,
  text,
  texts,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { ITEM_KINDS } from "./plan.ts";
import { shortage, BILL } from "./spending.ts";

const CATEGORIES = [
  "missing_field",
  "duplicate_id",
  "unknown_dep",
  "cycle",
  "invalid_gate",
  "scope_overlap",
  "bounds_violation",
  "invalid_routing",
  "empty_body",
  "invalid_id",
  "unknown_key",
  "invalid_value",
  "invalid_path",
  "syntax",
  "unreadable",
  "too_many",
  "not_a_phase",
  "unsupported",
] as const satisfies readonly SpecProblem["category"][];

const problem = object(
  {
    category: word(CATEGORIES, "What kind of problem it is"),
    severity: word(["error", "warning"], "error: the nebula cannot be worked on"),
    file: text("The name of the file"),
    phaseId: v.optional(text("The phase, where its file has an id")),
    field: v.optional(text("The key, as the file has it: execution.gate")),
    message: text("The same for a person"),
  },
  "What is wrong with a nebula's files, or odd",
);

export const problems = list(problem, "By their files, nebula.toml first");

export const nebulaValidateLine = result(
  "nebula_validate",
  "What is wrong with the files of a nebula",
  {
    dir: text("The nebula's folder"),
    nebula: text('Its name; "" where it cannot be read'),
    phaseIds: texts("Its phases, in the order of their files; none where there is an error"),
    problems,
  },
);

export const FOLDER_CHANGED = flag("Whether its folder says something else than its copy by now");

/** What a phase says, and how it is worked on. */
export const PHASE_SETTINGS = {
  phaseId: text("Its name in the nebula"),
  file: text("The name of its file"),
  title: text("What it is about"),
  priority: v.pipe(v.number(), v.integer(), v.description("The higher, the earlier")),
  dependsOn: texts("The phases that land before it begins, those that block it included"),
  scope: texts("Paths and patterns of what it may change; none: anything"),
  gate: word(["trust", "watch", "review", "approve"], "When a person is asked"),
  coder: text("Who writes"),
  reviewer: text("Who reviews"),
  model: text(`The coder's model; "": the agent's own choice`),
  tier: v.optional(text("The tier that has chosen the model; left out where somebody named it")),
  requiredChecks: texts("Commands that have to pass before a review"),
  setup: texts("Commands that make its work tree ready"),
  maxCycles: whole("Most cycles of coder and reviewer"),
  maxBudgetUsd: usd("What it may cost; 0: no limit"),
  timeoutMs: milliseconds("How long it may take"),
};

const phase = object(
  {
    ...PHASE_SETTINGS,
    wave: whole("From 1: it waits for phases of earlier waves only"),
  },
  "A phase, as it would be worked on",
);

const asked = object(
  {
    setting: text("setup, copy, checks, verify, coder or reviewer"),
    says: text("The command, the agent or the file"),
    inFiles: texts("The files that name it"),
    exists: v.optional(flag("Of a file to copy: whether it is there now")),
  },
  "What runs, works or is copied as the user",
);

const overlap = object(
  {
    phaseIds: texts("The two phases"),
    patterns: texts("The first entries of their scopes that overlap"),
  },
  "Two phases that may change the same files, which one of them allows",
);

const resumed = object(
  {
    phaseId: text("The phase"),
    action: word(
      ["land", "continue", "begin", "wait"],
      "continue: its run; begin: once what it waits for has landed; wait: a resume does nothing with it",
    ),
    attempt: whole("From 1"),
    runId: v.optional(runId("The run that it continues; left out where nothing of it was saved")),
    cycle: v.optional(whole("The last cycle that this has begun")),
    items: v.optional(
      list(
        object(
          {
            kind: word([...ITEM_KINDS], "What becomes of a part of the run"),
            message: text("The same for a person"),
          },
          "What a resume would do with a part of the run",
        ),
        "What becomes of that run; left out where it is not known before",
      ),
    ),
    waitsFor: texts("Phases that land before it begins or lands"),
    reason: text("What it waits for besides, for a person"),
  },
  "What a resume would do with a phase that has neither landed nor failed",
);

export const nebulaPlanLine = result("nebula_plan", "What working on a nebula would mean", {
  dir: text("The nebula's folder"),
  nebula: text("Its name"),
  baseSha: sha("The commit at which it would begin"),
  baseBranch: v.optional(text("The branch that HEAD is on; left out where it is on none")),
  branch: text("The branch that it lands on"),
  isAskedFirst: flag("Whether a person approves the plan before any phase begins"),
  uncommittedCount: whole("Changes in the work tree that are not part of it"),
  phases: list(phase, "In the order in which they start where nothing else decides"),
  waveCount: whole("How many waves there are"),
  criticalPath: texts("The longest chain of phases of which each waits for the one before"),
  maxWorkers: whole("How many phases are worked on at once"),
  capsUsd: v.optional(usd("The sum of what each phase may cost; left out: one has no limit")),
  totalUsd: v.optional(usd("What all phases may cost; left out: no limit")),
  isTotalGiven: flag(
    "Whether the nebula or nebula.max_total_budget_usd says what all may cost; else it is the sum",
  ),
  isTotalCapped: flag(
    "Whether the user's nebula.max_total_budget_usd holds: the nebula's files ask for more",
  ),
  askedUsd: v.optional(usd("What the nebula's files ask for; left out: no limit")),
  estimate: v.optional(
    object(
      {
        likelyUsd: usd("The sum over its phases of the median of past ones"),
        pastCount: whole("How many past phases of the repository's nebulae that is made of"),
      },
      "What it likely costs; left out: there are no past phases, or it has begun",
    ),
  ),
  spentUsd: v.optional(BILL.spentUsd),
  knownUsd: v.optional(BILL.knownUsd),
  unknownUsd: v.optional(BILL.unknownUsd),
  hasUnreportedCosts: v.optional(BILL.hasUnreportedCosts),
  isVerified: flag("Whether something has to pass before any phase lands"),
  verify: texts("Commands that have to pass on the merged tree before a phase lands"),
  copy: texts("Files of the user's tree that each new work tree gets"),
  requiresNebulae: texts("Nebulae that have landed before this one begins"),
  asks: list(asked, "What needs the user's yes before it starts"),
  overlaps: list(overlap, "Such phases are not worked on at once"),
  hasEmptySubmodules: flag("Whether submodules stay empty in a phase's work tree"),
  shortages: list(shortage, "The limits with which the first turn of a phase would not be started"),
  problems: list(problem, "Warnings only: with an error there is no plan"),
  nebulaId: v.optional(text("The nebula, where it has begun: then the plan is that of its copy")),
  pid: v.optional(whole("The process that works on it")),
  resume: v.optional(list(resumed, "In the order of the plan, where it has begun")),
  obstacles: v.optional(
    texts("What stands in the way of an engine, each in words, where it has begun"),
  ),
  isFolderChanged: v.optional(FOLDER_CHANGED),
});

export type NebulaValidateLine = Printed<typeof nebulaValidateLine>;
export type NebulaPlanLine = Printed<typeof nebulaPlanLine>;
