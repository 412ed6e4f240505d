import type { NebulaFacts, NeedFacts } from "@quasar/nebula/facts";
import type { Decision } from "../../live/protocol.ts";
import { LongText } from "../long-text.tsx";
import { typedWith, VERB_WORDS } from "./words.ts";

interface NeedsProps {
  readonly nebula: NebulaFacts;
  readonly decisions: readonly Decision[];
  readonly ask: (decision: Decision) => void;
}

/** What a person has to do, with buttons for what can be done here. */
export function Needs({ nebula: { needs }, decisions, ask }: NeedsProps) {
  return (
    <ul class="needs">
      {needs.map((need) => (
        <li key={`${need.kind} ${need.phase} ${need.questionId}`}>
          <div class="need">
            {need.phase !== "" && <span class="name">{need.phase}</span>}
            <LongText text={need.text} class="prose" />
          </div>
          <div class="actions">
            {decisions.filter(isAbout(need)).map((decision) => (
              <button key={decision.verb} type="button" onClick={() => ask(decision)}>
                {VERB_WORDS[decision.verb]}
                {typedWith(decision.verb) !== undefined && " …"}
                {need.phase !== "" && <span class="hidden"> {need.phase}</span>}
              </button>
            ))}
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Whether something is decided by which a person does what is needed. */
function isAbout({ kind, phase, questionId }: NeedFacts): (decision: Decision) => boolean {
  return (decision) => {
    if (kind === "agent") return decision.questionId === questionId;
    const isVerdict = decision.verb === "approve" || decision.verb === "reject";
    return (kind === "plan" || kind === "land") && isVerdict && decision.phase === phase;
  };
}
