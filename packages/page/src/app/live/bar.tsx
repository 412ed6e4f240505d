import type { Decision, DecisionNote } from "../../live/protocol.ts";
import type { Tone } from "../../view/verdict.ts";
import { Badge } from "../badge.tsx";
import { short } from "../short.ts";
import type { Link } from "./follow.ts";
import { VERB_WORDS } from "./words.ts";

interface BarProps {
  readonly link: Link;
  readonly hasFacts: boolean;
  /** Why the facts cannot be read now; `""`: they can. */
  readonly problem: string;
  readonly note: DecisionNote | undefined;
  readonly decisions: readonly Decision[];
  readonly ask: (decision: Decision) => void;
}

const LINKS: Readonly<Record<Link, readonly [tone: Tone, word: string, what: string]>> = {
  connecting: ["quiet", "connecting", ""],
  live: ["good", "live", ""],
  lost: [
    "wait",
    "not connected",
    "The server has ended, or cannot be reached. quasar web starts it again.",
  ],
  refused: [
    "bad",
    "refused",
    "This address is not valid any more. Open the one that quasar web prints.",
  ],
};

/** How the page is connected, what became of the last decision, and what is decided of the whole. */
export function Bar({ link, hasFacts, problem, note, decisions, ask }: BarProps) {
  const [tone, word, what] = LINKS[link];
  const waits = link === "live" && !hasFacts ? "Waiting for its first save." : "";
  const words = [what, note?.text, problem, waits].find(
    (each) => each !== undefined && each !== "",
  );
  const isBad = what === "" && (note?.isBad ?? problem !== "");
  const ofAll = decisions.filter(({ verb }) => verb === "pause" || verb === "continue");
  return (
    <aside class="bar" aria-label="Connection">
      <Badge tone={tone} word={word} />
      <p role="status" class={isBad ? "bad" : undefined}>
        {short(words ?? "")}
      </p>
      {ofAll.map((decision) => (
        <button key={decision.verb} type="button" onClick={() => ask(decision)}>
          {VERB_WORDS[decision.verb]}
        </button>
      ))}
    </aside>
  );
}
