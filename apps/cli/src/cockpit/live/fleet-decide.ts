import { NebulaError, type NebulaState } from "@quasar/nebula";
import { canDecide } from "@quasar/nebula/internal";
import { stateOf } from "@quasar/nebula/fleet";
import {
  gateId,
  type NebulaPort,
  PortError,
  type PromiseId,
  type Reply,
} from "@quasar/nebula/port";
import { UNRESOLVED } from "../../quasar/fleet/unresolved.ts";
import type { Ask } from "../model/ask.ts";
import { CHANGED, type Decider, DONE, isAsShown, type Note } from "./decide.ts";

export interface FleetDeciderOptions {
  readonly port: NebulaPort;
  /** Of the nebula. */
  readonly id: string;
  /** As the screen has it now. */
  readonly stateNow: () => NebulaState;
}

/** Decides of a nebula of a fleet, by the same calls as the commands with `--fleet` do. */
export function createFleetDecider({ port, id, stateNow }: FleetDeciderOptions): Decider {
  let shown: NebulaState | undefined;
  return {
    begin() {
      shown = stateNow();
    },
    async decide(ask, text) {
      try {
        return await decided(port, { id, ask, text, shown: shown ?? stateNow() });
      } catch (error) {
        if (error instanceof PortError || error instanceof NebulaError) return refused(error);
        throw error;
      }
    },
  };
}

function refused(error: PortError | NebulaError): Note {
  const isUnknown = error.code === "ERR_UNREACHABLE";
  const before = isUnknown ? "Whether it was decided is not known: " : "";
  return { text: `${before}${error.message}`, isBad: true };
}

interface Deciding {
  readonly id: string;
  readonly ask: Ask;
  readonly text: string;
  readonly shown: NebulaState;
}

async function decided(port: NebulaPort, { id, ask, text, shown }: Deciding): Promise<Note> {
  const { verb, phase } = ask;
  if (verb === "pause" || verb === "continue") {
    await port.signal(id, verb);
    return { text: SIGNALLED[verb], isBad: false };
  }
  if (!isAsShown(shown, ask)) return CHANGED;
  const about = phase === "" ? "the plan" : phase;
  if (
    verb !== "answer" &&
    phase !== "" &&
    !canDecide(stateOf(await port.status(id)), verb, phase)
  ) {
    return { text: `${about}: there is nothing to ${verb} now`, isBad: true };
  }
  const { promise, reply } = replyOf({ ...ask, verb }, text, shown);
  const resolved = await port.resolve(id, promise, reply);
  if (resolved.as !== "resolved") {
    return { text: `${about}: ${UNRESOLVED[resolved.as]}`, isBad: true };
  }
  const words = verb === "answer" ? "answered" : DONE[verb];
  return { text: `${about}: ${words}; the machine with the lane takes it`, isBad: false };
}

const SIGNALLED = {
  pause: "Paused: turns in flight end, and what is approved lands.",
  continue: "It continues, on all machines.",
} as const;

/** What is asked for and said, by the very change that the screen was about: the server refuses any other. */
function replyOf(
  { verb, phase, questionId }: Ask & { readonly verb: Exclude<Ask["verb"], "pause" | "continue"> },
  text: string,
  { phases, revision }: NebulaState,
): { readonly promise: PromiseId; readonly reply: Reply } {
  if (verb === "answer") {
    return { promise: `question/${questionId}`, reply: { text, agent: "" } };
  }
  const found = phases.find(({ id }) => id === phase);
  if (found === undefined) {
    const said = verb === "reject" ? "reject" : "approve";
    return { promise: `plan/${revision}`, reply: { verb: said, reason: text } };
  }
  return { promise: gateId(found), reply: { verb, reason: text, isFinal: false } };
}
