import { HOOK_MD_COMMANDS } from "./commands.ts";
import { type Decision, type Gate, GATES, MANUAL } from "./gates.ts";
import { command, enumeration, LINE_LENGTH, type Phrases, quoted } from "./nodes.ts";
import type { AwaitedDecision, HookFile, HookState, RecoveryContext } from "../store/hook-file.ts";
import { type StepPosition, stepPositionOf } from "../transitions/step-position.ts";
import { isSetUp } from "../transitions/steps.ts";

/** The one thing to do next. */
export interface NextAction {
  readonly title: Phrases;
  /** What it consists of, in order. */
  readonly items: readonly Phrases[];
  /** What else one might do, and must not. */
  readonly never: Phrases;
  /** Where a person decides: what they may decide, and the command that says so. */
  readonly decisions?: readonly Decision[];
}

/** Exactly one for each state. */
export function nextAction(hook: HookFile): NextAction {
  return ACTIONS[hook.state](hook);
}

const FINISHES_SET_UP = "It finishes the set-up of the task and keeps what is already set up";

const ACTIONS: Readonly<Record<HookState, (hook: HookFile) => NextAction>> = {
  initializing: (hook) => resume(hook, [`${FINISHES_SET_UP}.`]),
  step_pending: (hook) =>
    isSetUp(hook)
      ? resume(hook, ["It starts ", ...ofStep(hook), "."])
      : resume(hook, [`${FINISHES_SET_UP}, and starts `, ...ofStep(hook), "."]),
  step_running: continueStep,
  step_validating: (hook) =>
    resume(hook, [
      "It validates ",
      ...ofStep(hook),
      " to the end: whether it passes is not known before.",
    ]),
  awaiting_human: (hook) => {
    const { kind, reason } = hook.awaiting ?? NOT_RECORDED;
    return wait(hook, GATES[kind], reason);
  },
  recovering: (hook) => {
    const recovery = hook.recovery;
    return recovery === undefined
      ? wait(hook, MANUAL, NOT_RECORDED.reason)
      : RECOVERIES[recovery.recommendedAction](hook, recovery);
  },
  completed: () => nothing("The task is completed."),
  failed: (hook) => nothing("The task has failed, for good.", ...whyFailed(hook)),
  abandoned: () => nothing("The task was abandoned."),
};

const RECOVERIES: Readonly<
  Record<
    RecoveryContext["recommendedAction"],
    (hook: HookFile, recovery: RecoveryContext) => NextAction
  >
> = {
  retry_step: (hook, { reason, lastCheckpointId }) =>
    resume(hook, [
      ...(isSetUp(hook) ? again(hook, lastCheckpointId) : [FINISHES_SET_UP]),
      ". Why: ",
      quoted(reason, LINE_LENGTH.text),
    ]),
  retry_validation: (hook, { reason, validationCmd }) =>
    resume(hook, [
      "It runs ",
      ...(validationCmd === undefined
        ? ["the validation"]
        : [quoted(validationCmd, LINE_LENGTH.text)]),
      " of ",
      ...ofStep(hook),
      " again: whether it passes is not known. Why: ",
      quoted(reason, LINE_LENGTH.text),
    ]),
  skip_step: (hook, { reason }) =>
    resume(hook, [
      "It records ",
      ...ofStep(hook),
      " as skipped, because its effect is already there, and continues. Why: ",
      quoted(reason, LINE_LENGTH.text),
    ]),
  manual: (hook, { reason }) => wait(hook, MANUAL, reason),
  await_human: (hook, { reason }) => wait(hook, MANUAL, reason),
};

function again(hook: HookFile, checkpointId: string | undefined): Phrases {
  return [
    "It takes up ",
    ...ofStep(hook),
    " again",
    ...(checkpointId === undefined ? [] : [" from checkpoint ", quoted(checkpointId)]),
    ", on the work tree as it is",
  ];
}

const NOT_RECORDED: AwaitedDecision = {
  kind: "interrupted",
  reason: "The reason is not recorded.",
};

const READ_AGAIN: Phrases = [
  "Then run ",
  command(HOOK_MD_COMMANDS.context),
  " and follow what it says",
];

/** Only these are worked on by an agent itself: the others are run by Atlas. */
const OF_AN_AGENT: readonly string[] = ["ai", "loop"];

function continueStep(hook: HookFile): NextAction {
  const position = stepPositionOf(hook);
  const { record } = position ?? {};
  if (position === undefined || (record !== undefined && !OF_AN_AGENT.includes(record.type))) {
    return resume(hook, ["It takes up ", ...ofStep(hook), "."]);
  }
  const { workingOn, filesTouched = [] } = hook.currentStep ?? {};
  const files = filesTouched.map((path) => quoted(path, LINE_LENGTH.path));
  return {
    title: ["RESUME: Continue the ", quoted(position.name), " step"],
    items: [
      ...(files.length === 0
        ? []
        : [["Review the files you modified: ", ...enumeration(files, 5, (n) => ` and ${n} more`)]]),
      ["Check ", command("git status"), " to see uncommitted changes"],
      [
        "Continue",
        ...(workingOn === undefined ? [] : [" with ", quoted(workingOn, LINE_LENGTH.text)]),
        ': do what the step asks for, as quoted under "What Was Asked"',
        ...(record?.feedback === undefined
          ? []
          : [", and what the person asked for who rejected it"]),
      ],
      ["When complete, run ", command(HOOK_MD_COMMANDS.validate), " to verify your changes"],
      ...endOfStep(hook),
    ],
    never: ["Continue with another step: this one comes first"],
  };
}

/** A runner notices that its agent has ended; without one, a command has to say it. */
function endOfStep({ owner }: HookFile): readonly Phrases[] {
  return owner === undefined
    ? [["End the step with ", command(HOOK_MD_COMMANDS.stepDone)], READ_AGAIN]
    : [["End your turn: Atlas drives this task and takes the next step by itself"]];
}

/** The work tree may not be there before the set-up: then the repository is where to begin. */
function resume(hook: HookFile, effect: Phrases): NextAction {
  const worktree = quoted(hook.worktreePath, LINE_LENGTH.path);
  const where = isSetUp(hook) ? worktree : quoted(hook.repoPath, LINE_LENGTH.path);
  return {
    title: ["RESUME: Run ", command(HOOK_MD_COMMANDS.resume)],
    items: [
      ["Run ", command(HOOK_MD_COMMANDS.resume), " in ", where, " and let it work. ", ...effect],
      [
        "Then run ",
        command(HOOK_MD_COMMANDS.context),
        ...(isSetUp(hook) ? [] : [" in ", worktree]),
        " and follow what it says",
      ],
    ],
    never: ["Do the work of a step yourself: ", command(HOOK_MD_COMMANDS.resume), " sees to it"],
  };
}

function wait(hook: HookFile, { asked, decisions }: Gate, reason: string): NextAction {
  return {
    title: [`WAIT: A person has to ${asked}`],
    items: [
      [
        "Change nothing: ",
        ...ofStep(hook),
        " waits for a person, who is asked: ",
        quoted(reason, LINE_LENGTH.text),
      ],
      ["Tell the person so, and stop until they have decided"],
    ],
    never: ["Decide in the person's place"],
    decisions,
  };
}

function whyFailed({ steps, history }: HookFile): Phrases {
  const failed = steps.findLast((step) => step.status === "failed");
  if (failed === undefined) {
    const reason = history.findLast(({ trigger }) => trigger === "fail")?.details?.["reason"];
    return typeof reason === "string" ? [" Why: ", quoted(reason, LINE_LENGTH.text)] : [];
  }
  const { name, note = "no reason recorded" } = failed;
  return [" In ", quoted(name), ": ", quoted(note, LINE_LENGTH.text)];
}

function nothing(...why: Phrases): NextAction {
  return {
    title: ["NOTHING: The task is finished"],
    items: [["Do nothing. ", ...why]],
    never: ["Work on this task"],
  };
}

/** `step 3 of 7 (implement)`. */
function ofStep(hook: HookFile): Phrases {
  const position: StepPosition | undefined = stepPositionOf(hook);
  if (position === undefined) return ["the task"];
  return [`step ${position.number} of ${position.total} (`, quoted(position.name), ")"];
}
