import type { RepositoryFacts } from "@quasar/git";
import type { HookFile, StepRecord } from "@quasar/hookfile";
import type { Session } from "./session.ts";

/** More paths than this are not recorded. */
const MOST_PATHS = 1_000;

/**
 * Looks at the work tree before a step starts, and returns what puts that down in the hook file. An
 * attempt that continues with what another left keeps the other's.
 *
 * @param seen - What a look at the end of the step before has seen, so that git is not asked again.
 */
export async function withBaseline(
  session: Session,
  step: StepRecord,
  seen?: RepositoryFacts,
): Promise<(hook: HookFile) => HookFile> {
  const hook = session.hook();
  const isAgain = step.attempts > 0 && step.status !== "rework";
  if (isAgain && baselineOf(hook, step.name) !== undefined) return (before) => before;
  const { baseSha } = session.task().metadata;
  const { parts, signal } = session;
  const { head, dirty } =
    seen ?? (await parts.workTreeReader.inspect(hook.worktreePath, baseSha, { signal }));
  const paths = dirty.length > MOST_PATHS ? undefined : dirty.map(({ path }) => path);
  const stepBase = { step: step.name, head, dirty: paths };
  return (before) => ({ ...before, stepBase });
}

/** How the work tree stood at the start of a step, where that is on record. */
export function baselineOf({ stepBase }: HookFile, stepName: string): HookFile["stepBase"] {
  return stepBase?.step === stepName ? stepBase : undefined;
}
