import * as fc from "fast-check";

// What may happen to a run in a repository: by its agents, its checks, git's hooks, a person, a kill.

/** How a coder ends what it does in a cycle; the first ones leave nothing that a run cannot continue from. */
export const KIND_ENDS = [
  "nothing",
  "commits",
  "commits and amends",
  "stages",
  "unstages",
  "nests",
  "nests and commits",
] as const;

/** It leaves the branch, rewrites what was there before, or leaves a rebase open. */
export const UNKIND_ENDS = [
  "switches",
  "detaches",
  "rewrites",
  "resets back",
  "leaves a rebase",
] as const;

export type CoderEnd = (typeof KIND_ENDS)[number] | (typeof UNKIND_ENDS)[number];

export interface CoderPlan {
  readonly by: "tool" | "shell";
  /** Takes the tree back to HEAD before it works. */
  readonly resets: boolean;
  readonly end: CoderEnd;
}

export const PERSON_DEEDS = [
  "edits",
  "edits the same file",
  "stages",
  "stashes",
  "commits",
] as const;
export type PersonDeed = (typeof PERSON_DEEDS)[number];

const SPOTS = [
  "coder begins",
  "coder halfway",
  "coder ends",
  "settled",
  "commit begins",
  "commit ends",
  "lint begins",
  "lint ends",
  "tests begin",
  "tests end",
  "reviewer begins",
  "reviewer halfway",
  "reviewer ends",
  "snapshot begins",
  "snapshot ends",
  "undo begins",
  "undo ends",
  "judged",
] as const;
export type Spot = (typeof SPOTS)[number];

/** A point of a run: the same in one that is killed and in one that is not. */
export interface Moment {
  readonly cycle: number;
  readonly spot: Spot;
}

export interface PersonAct extends Moment {
  readonly deed: PersonDeed;
}

export interface Kill extends Moment {
  readonly what: "runner" | "agent" | "all";
  /** What becomes of the agent where only its runner is killed. */
  readonly fate: "lives" | "ends";
}

export interface Plan {
  /** The coder's, by cycle: the reviewer approves after the last. */
  readonly coder: readonly CoderPlan[];
  readonly lint: "none" | "reads" | "formats";
  readonly tests: "none" | "pass";
  readonly hook: "none" | "formats" | "refuses" | "amends";
  readonly reviewer: "reads" | "edits" | "stages";
  /** A person's uncommitted work that was there before, accepted when the run began. */
  readonly before: "none" | "in another file" | "in the same file";
  readonly person: readonly PersonAct[];
  readonly kills: readonly Kill[];
}

const moment = { cycle: fc.constantFrom(1, 2), spot: fc.constantFrom(...SPOTS) };

const often = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof(
    { weight: 3, arbitrary: fc.constant(usual) },
    { weight: 2, arbitrary: fc.constantFrom(usual, ...others) },
  );

const coder = (ends: readonly CoderEnd[]): fc.Arbitrary<readonly CoderPlan[]> =>
  fc.array(
    fc.record({
      by: fc.constantFrom("tool" as const, "shell" as const),
      resets: often(false, true),
      end: fc.constantFrom(...ends),
    }),
    { minLength: 1, maxLength: 2 },
  );

const whole = {
  lint: fc.constantFrom("none" as const, "reads" as const, "formats" as const),
  tests: often<Plan["tests"]>("pass", "none"),
  hook: fc.constantFrom("none" as const, "formats" as const, "refuses" as const, "amends" as const),
  reviewer: fc.constantFrom("reads" as const, "edits" as const, "stages" as const),
  kills: fc.array(
    fc.record({
      ...moment,
      what: fc.constantFrom("runner" as const, "agent" as const, "all" as const),
      fate: fc.constantFrom("lives" as const, "ends" as const),
    }),
    { maxLength: 3 },
  ),
};

const alone: fc.Arbitrary<Plan> = fc.record({
  ...whole,
  coder: coder(KIND_ENDS),
  before: fc.constant("none" as const),
  person: fc.constant([]),
});

const disturbed: fc.Arbitrary<Plan> = fc
  .record({
    ...whole,
    coder: fc.oneof(coder(KIND_ENDS), coder([...KIND_ENDS, ...UNKIND_ENDS])),
    before: often<Plan["before"]>("none", "in another file", "in the same file"),
    person: fc.array(fc.record({ ...moment, deed: fc.constantFrom(...PERSON_DEEDS) }), {
      maxLength: 2,
    }),
    together: fc.boolean(),
  })
  .map(({ together, ...plan }) => (together ? meeting(plan) : plan));

/** The first kill comes when a person has just acted: to the resume they did so while nobody ran. */
function meeting(plan: Plan): Plan {
  const [act] = plan.person;
  const [kill, ...kills] = plan.kills;
  if (act === undefined || kill === undefined) return plan;
  const { cycle, spot } = act;
  return { ...plan, kills: [{ ...kill, cycle, spot }, ...kills] };
}

export const plans: fc.Arbitrary<Plan> = fc.oneof(alone, disturbed);

/** Whether only the run acts, and no agent leaves what a run cannot continue from. */
export function isAlone({ coder: cycles, person, before }: Plan): boolean {
  const isKind = (end: CoderEnd): boolean => KIND_ENDS.some((kind) => kind === end);
  return person.length === 0 && before === "none" && cycles.every(({ end }) => isKind(end));
}
