import { isDeepStrictEqual } from "node:util";
import type { Observed } from "./observe.ts";
import type { Victim } from "./table.ts";

/** What a kill must not change, by which differences are counted. */
export const LAWS = ["end", "resumes", "tree", "commits", "asked", "ledger", "left"] as const;
export type Law = (typeof LAWS)[number];

/** A broken law. */
export interface Difference {
  readonly law: Law;
  readonly message: string;
}

export interface Circumstances {
  readonly victim: Victim;
  /** The turn that was killed. */
  readonly turn: string;
  /** Whether its agent says what it uses while it works. */
  readonly streamsUsage: boolean;
}

/** Sums of prices differ in their last digits. */
const ROUNDING_USD = 1e-9;

/** What differs between a run with a kill and an undisturbed one. */
export function judge(
  now: Observed,
  whole: Observed,
  circumstances: Circumstances,
): readonly Difference[] {
  const same = (law: Law, ...keys: readonly (keyof Observed)[]): readonly Difference[] =>
    keys
      .filter((key) => !isDeepStrictEqual(now[key], whole[key]))
      .map((key) => ({ law, message: `${key}: ${shown(now[key])}, not ${shown(whole[key])}` }));
  return [
    ...same("end", "code", "status"),
    ...resumes(now, circumstances),
    ...same("tree", "tree", "uncommitted"),
    ...same("commits", "subjects"),
    ...(circumstances.victim === "runner"
      ? same("asked", "asked")
      : repeated(now, whole, circumstances)),
    ...ledger(now, whole, circumstances),
    ...same("left", "left"),
  ];
}

/** A run whose runner lives continues by itself, any other when it is resumed once. */
function resumes({ resumes }: Observed, { victim }: Circumstances): readonly Difference[] {
  const most = victim === "runner" || victim === "everything" ? 1 : 0;
  return resumes <= most ? [] : [{ law: "resumes", message: `${resumes}, not ${most}` }];
}

const shown = (value: unknown): string => JSON.stringify(value);

/** A turn whose agent or supervisor was killed is begun once more at most, each other one as often as ever. */
function repeated(now: Observed, whole: Observed, { turn }: Circumstances): readonly Difference[] {
  const starts = ({ asked }: Observed, of: string): number =>
    asked.filter((each) => each === `${of}, step 0`).length;
  const turns = new Set(
    [...whole.asked, ...now.asked].map((each) => each.replace(/, step .*/u, "")),
  );
  return [...turns].flatMap((each): readonly Difference[] => {
    const [is, was] = [starts(now, each), starts(whole, each)];
    const isRight = is === was || (each === turn && is === was + 1);
    return isRight ? [] : [{ law: "asked", message: `${each} was begun ${is} times, not ${was}` }];
  });
}

/** The ledger of a run whose agents were not killed is an undisturbed run's; nobody's is below the bill. */
function ledger(
  now: Observed,
  whole: Observed,
  { victim, streamsUsage }: Circumstances,
): readonly Difference[] {
  const { billedUsd, ledgerUsd, unknownUsd } = now;
  const message = `billed ${billedUsd}, ledger ${ledgerUsd}, of it unknown ${unknownUsd}; undisturbed ${whole.ledgerUsd}`;
  const isWhole =
    Math.abs(ledgerUsd - whole.ledgerUsd) < ROUNDING_USD && unknownUsd === whole.unknownUsd;
  const isCovered = !streamsUsage || ledgerUsd >= billedUsd - ROUNDING_USD;
  return isCovered && (victim !== "runner" || isWhole) ? [] : [{ law: "ledger", message }];
}
