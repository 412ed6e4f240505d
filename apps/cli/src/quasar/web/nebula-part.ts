import { findNebula, type NebulaState } from "@quasar/nebula";
import { redactNebulaFacts } from "@quasar/nebula/facts";
import type { DecisionMade } from "@quasar/page/live";
import type { Workspace } from "@quasar/runs";
import { decided, inWords } from "../../cockpit/live/decide.ts";
import { openNebulaSource } from "../../cockpit/live/nebula-source.ts";
import { isWithinRun } from "../../shared/within-run.ts";
import { decisionsOf } from "./decisions.ts";
import type { NebulaPart } from "./subject.ts";

/** All of a page that needs the package of nebulae: loaded for them alone. */
export function openNebulaPart(workspace: Workspace, id: string): NebulaPart {
  const { repositoryId } = workspace;
  // An agent that a run has started may look, and decides nothing.
  const isPerson = !isWithinRun();
  const stateNow = (): NebulaState => findNebula(repositoryId, id);
  return {
    source: openNebulaSource(workspace, id, { runs: "all" }),
    redacted: (facts, { redact }) =>
      facts.kind === "run"
        ? facts
        : { kind: "nebula", nebula: redactNebulaFacts(facts.nebula, redact) },
    decisions: (facts) =>
      facts.kind === "nebula" && isPerson
        ? decisionsOf(facts.nebula, () => stateNow().revision)
        : [],
    changeOf(phase, digest) {
      const asked = stateNow().phases.find((each) => each.id === phase);
      if (asked?.question !== "land" || asked.digest !== digest) return undefined;
      return { from: asked.onto, sha: asked.candidate };
    },
    decide(made) {
      if (!isPerson) return FOR_A_PERSON;
      return inWords(() => decided(repositoryId, asShown(stateNow(), made), made, made.text));
    },
  };
}

const FOR_A_PERSON = {
  text: "A run has started this page's server: it decides nothing.",
  isBad: true,
};

/** The state as the person was shown it who has decided. */
function asShown(state: NebulaState, { verb, phase, attempt, digest }: DecisionMade): NebulaState {
  const isPlan = phase === "" && (verb === "approve" || verb === "reject");
  if (isPlan) return { ...state, revision: digest };
  const phases = state.phases.map((each) =>
    each.id === phase ? { ...each, attempt, digest } : each,
  );
  return { ...state, phases };
}
