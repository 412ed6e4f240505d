import type { HookFile } from "@quasar/hookfile";

// Which run of agents an attempt at a step uses.

/**
 * The hook with the run that a starting attempt uses: for the same update as `start_step`, just before
 * it. A new run begins for the first attempt, after `endRun`, and once a person has been shown what
 * came of the last one or has sent it back; else the attempt continues with the last run.
 */
export function assignRun(hook: HookFile, stepName: string): HookFile {
  const number = numberOf(hook.stepRuns, stepName);
  const resumes = number > 0 && !isOver(hook, stepName, number);
  return resumes ? hook : { ...hook, stepRuns: { ...hook.stepRuns, [stepName]: number + 1 } };
}

/**
 * The hook with a mark that the step's next attempt begins a new run. Where that attempt is not started
 * by `start_step`, but by `attempt_failed`, `assignRun` follows in the same update.
 */
export function endRun(hook: HookFile, stepName: string): HookFile {
  return { ...hook, endedRuns: { ...hook.endedRuns, [stepName]: runNumber(hook, stepName) } };
}

/** The step's present run: `implement-2`. The name of its folder under `runs/`. */
export function runName(hook: HookFile, stepName: string): string {
  return `${stepName}-${runNumber(hook, stepName)}`;
}

function runNumber(hook: HookFile, stepName: string): number {
  return Math.max(1, numberOf(hook.stepRuns, stepName));
}

function isOver(hook: HookFile, stepName: string, number: number): boolean {
  const isRework = hook.steps.find(({ name }) => name === stepName)?.status === "rework";
  return isRework || numberOf(hook.endedRuns, stepName) === number || wasJudged(hook, stepName);
}

/** Whether a person was shown what came of the step's last attempt, or has rejected it. */
function wasJudged({ history }: HookFile, stepName: string): boolean {
  const begun = history.findLastIndex(
    (event) => event.trigger === "start_step" && event.stepName === stepName,
  );
  return history.slice(begun + 1).some(({ trigger, details, ...event }) => {
    if (trigger === "human_reject") return true;
    // Other kinds say that the work could not continue: it does once a person has helped.
    const isReview = trigger === "human_required" && details?.["kind"] === "review";
    return isReview && event.stepName === stepName;
  });
}

function numberOf(numbers: HookFile["stepRuns"] = {}, stepName: string): number {
  return Object.hasOwn(numbers, stepName) ? (numbers[stepName] ?? 0) : 0;
}
