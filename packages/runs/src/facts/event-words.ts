import type { Fact } from "../journal/fact.ts";
import { cleanLine } from "../text/clean.ts";
import {
  CHECK_LABELS,
  checkWords,
  commitWords,
  doneWords,
  forkedWords,
  GIVEN_UP,
  outcomeText,
  recoveryWords,
  REFACTORED,
  retriedWords,
  retryWords,
  reviewWords,
  snapshotWords,
  startWords,
  undoneWords,
  waitingWords,
} from "../words/events.ts";
import { timeText } from "../text/format.ts";
import { fit } from "../text/width.ts";
import { countIn, cycleIn, numberIn, objectIn, objectsIn, textIn, textsIn } from "./fields.ts";
import { recoveryIn } from "./lives.ts";
import type { EventFacts } from "./run-facts.ts";

/** Characters of an event's line. */
const MOST = 500;

/** A record of a journal as a line of what happened; `undefined` for what says nothing to a person. */
export function eventIn(fact: Fact): Omit<EventFacts, "at"> | undefined {
  const words = Object.hasOwn(WORDS, fact.type) ? WORDS[fact.type]?.(fact) : undefined;
  if (words === undefined) return undefined;
  const [label, said] = words;
  const text = fit(label === "" ? said : `${label}: ${said}`, MOST);
  return { type: fact.type, turnId: textIn(fact["turnId"]), text };
}

/** Who or what it is about, and what happened, as `quasar log` has it. Times are in UTC. */
type Words = readonly [label: string, text: string];

const WORDS: Readonly<Record<string, (fact: Fact) => Words | undefined>> = {
  forked: ({ from, cycle }) => ["begun", forkedWords(textIn(from), cycleIn(cycle))],
  accepted: ({ what, why }) => [
    "accepted",
    cleanLine([textIn(what), textIn(why)].filter((each) => each !== "").join(": ")),
  ],
  resumed: ({ message, details }) => [
    "",
    cleanLine([textIn(message), ...textsIn(details)].join("; ")),
  ],
  cycle_start: ({ cycle }) => ["", `cycle ${cycleIn(cycle)}`],
  agent_start: (fact) => [roleIn(fact), startWords({ turnId: turnIn(fact), ...attemptIn(fact) })],
  turn_recovered(fact) {
    const how = recoveryIn(fact);
    const reason = textIn(fact["reason"]);
    return how && [roleIn(fact), recoveryWords({ how, turnId: turnIn(fact), reason })];
  },
  turn_retry(fact) {
    const { retry, most, waitMs, until, message } = fact;
    const numbers = { retry: cycleIn(retry), most: cycleIn(most), waitMs: numberIn(waitMs) ?? 0 };
    const role = roleIn(fact) === "reviewer" ? "reviewer" : "coder";
    const why = retriedWords({ role, message: textIn(message) });
    return [roleIn(fact), `${why}; ${retryWords(numbers, timeText(textIn(until)))}`];
  },
  agent_done: (fact) => [
    roleIn(fact),
    doneWords({
      costUsd: numberIn(fact["costUsd"]),
      durationMs: numberIn(fact["durationMs"]) ?? 0,
    }),
  ],
  tools_denied: ({ denials }) => [
    "denied",
    objectsIn(denials)
      .map(({ what }) => `\`${cleanLine(textIn(what))}\``)
      .join(", "),
  ],
  committed: ({ sha, by, paths, changes }) => [
    "commit",
    commitWords({
      sha: textIn(sha) || undefined,
      by: by === "checks" || by === "git hook" ? by : undefined,
      paths: textsIn(paths),
      changes: changesIn(changes),
    }),
  ],
  undone: ({ paths, n }) => ["reviewer", undoneWords({ paths: textsIn(paths) }, snapshot(n))],
  snapshot: ({ isStaged, n }) => [
    "snapshot",
    snapshotWords({ isStaged: isStaged === true }, snapshot(n)),
  ],
  check_done: ({ check, name, passed }) => [
    CHECK_LABELS[check === "lint" ? "lint" : "filter"],
    checkWords({ name: textIn(name), passed: passed === true }),
  ],
  review_complete: ({ approved, findings }) => [
    "review",
    reviewWords({ approved: approved === true, findings: objectsIn(findings) }),
  ],
  refactored: () => ["task", REFACTORED],
  struggle_detected: ({ message }) => ["struggle", cleanLine(textIn(message))],
  warning: ({ message }) => ["warning", cleanLine(textIn(message))],
  notice: ({ message }) => ["", cleanLine(textIn(message))],
  waiting: ({ message, until, waitMs, isKnown }) => [
    "limit",
    [
      cleanLine(textIn(message)),
      waitingWords(
        { waitMs: numberIn(waitMs) ?? 0, isKnown: isKnown === true },
        timeText(textIn(until)),
      ),
    ].join("; "),
  ],
  result: ({ outcome, message }) => [
    "ended",
    cleanLine(
      outcome === "approved"
        ? outcomeText(outcome)
        : `${outcomeText(textIn(outcome))}; ${textIn(message)}`,
    ),
  ],
  abandoned: () => ["ended", GIVEN_UP],
};

function roleIn({ role }: Fact): string {
  return cleanLine(textIn(role));
}

function turnIn({ turnId }: Fact): string {
  return textIn(turnId);
}

function attemptIn({ attempt }: Fact): { readonly attempt: number } {
  return { attempt: countIn(attempt) ?? 1 };
}

function snapshot(n: unknown): string {
  return `snapshot ${cycleIn(n)}`;
}

function changesIn(value: unknown) {
  const changes = objectIn(value);
  const [files, added, removed] = ["files", "added", "removed"].map((key) => countIn(changes[key]));
  if (files === undefined || added === undefined || removed === undefined) return undefined;
  return { files, added, removed };
}
