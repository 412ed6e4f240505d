import type { AgentEvent } from "@quasar/agents";
import type { Workspace } from "@quasar/runs";
import { watchRunTurn } from "@quasar/runs/internal";
import type { RunFacts } from "@quasar/runs/facts";
import { type Said, turnOf } from "../model/shown.ts";

/** Most events that are kept of a turn, and most characters of one. */
const [MOST_EVENTS, MOST_CHARACTERS] = [400, 4000];

/** Most turns that are kept. */
const MOST_TURNS = 24;

interface Watched {
  readonly said: Said[];
  readonly over: AbortController;
  readonly isOpen: boolean;
}

/** Listens to the agents of turns. */
export interface Turns {
  /** By the ids of turns. */
  readonly said: ReadonlyMap<string, readonly Said[]>;
  /** Listens to the turn of a run that is under way, or reads the last one. Call it with the facts of each look. */
  watch(run: RunFacts, workspace: Workspace): void;
  close(): void;
}

/** @param onSaid - Called when an agent said or did something. */
export function watchTurns(onSaid: () => void): Turns {
  const watched = new Map<string, Watched>();
  const said = new Map<string, readonly Said[]>();

  function begin(run: RunFacts, turnId: string, isOpen: boolean, workspace: Workspace): void {
    const own: Watched = { said: [], over: new AbortController(), isOpen };
    watched.set(turnId, own);
    said.set(turnId, own.said);
    const onEvent = (event: AgentEvent): void => {
      const one = saidIn(event);
      if (one === undefined) return;
      own.said.push(one);
      if (own.said.length > MOST_EVENTS) own.said.splice(0, own.said.length - MOST_EVENTS);
      onSaid();
    };
    const options = { follow: isOpen, signal: own.over.signal, onEvent };
    // What its agent printed may be gone, or is none that can be read: the facts tell the rest.
    watchRunTurn(workspace, run.id, turnId, options).catch(() => false);
  }

  function end(turnId: string): void {
    watched.get(turnId)?.over.abort();
    watched.delete(turnId);
    said.delete(turnId);
  }

  return {
    said,
    watch(run, workspace) {
      const turn = turnOf(run);
      if (turn === undefined || turn.turnId === "") return;
      const { turnId, status } = turn;
      if (watched.has(turnId)) return;
      begin(run, turnId, status === "open", workspace);
      for (const old of [...watched.keys()].slice(0, -MOST_TURNS)) end(old);
    },
    close() {
      for (const turnId of [...watched.keys()]) end(turnId);
    },
  };
}

/** What of an event a person reads; `undefined`: nothing. */
function saidIn(event: AgentEvent): Said | undefined {
  switch (event.type) {
    case "text":
      return { kind: "text", text: event.text.slice(0, MOST_CHARACTERS) };
    case "tool":
      return { kind: "tool", text: `${event.name} ${event.detail}`.slice(0, MOST_CHARACTERS) };
    case "denied":
      return { kind: "denied", text: event.what.slice(0, MOST_CHARACTERS) };
    case "retry":
      return { kind: "retry", text: `tries again: ${event.message}`.slice(0, MOST_CHARACTERS) };
    case "session":
    case "usage":
    case "unpriced":
      return undefined;
  }
}
