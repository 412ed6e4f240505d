import { setTimeout as sleep } from "node:timers/promises";
import { NebulaError, type NebulaState } from "@quasar/nebula";
import { stateOf } from "@quasar/nebula/fleet";
import { continueHistory, fleetNebulaFacts, NO_HISTORY } from "@quasar/nebula/internal";
import { type NebulaStatus, PortError } from "@quasar/nebula/port";
import { cleanLine, shellWord } from "@quasar/runs/text";
import type { NebulaOfFleet } from "../../quasar/fleet/nebula.ts";
import type { FleetShown } from "../model/shown.ts";
import type { Source } from "./source.ts";

/** For how long a look waits for the server, in milliseconds: then it shows what it has. */
const WAIT_MS = 1000;

/** How long after a failure events are asked for again, in milliseconds. */
const AGAIN_MS = 1000;

/** A nebula as its fleet's server has it. */
export interface FleetSource extends Source {
  /** The state of which the last facts were. */
  readonly state: NebulaState;
  /** Asks no more. */
  close(): void;
}

/** Reads a nebula of a fleet. Where its server does not answer it keeps what it has, and says so. */
export function openFleetSource({ port, url, id, status, state }: NebulaOfFleet): FleetSource {
  return new ReadingFleet({ port, url, id }, { status, state });
}

interface Read {
  readonly status: NebulaStatus;
  readonly state: NebulaState;
}

class ReadingFleet implements FleetSource {
  readonly #of: Pick<NebulaOfFleet, "port" | "url" | "id">;
  readonly #over = new AbortController();
  #read: Read;
  #history = NO_HISTORY;
  #silent: FleetShown["silent"];
  #asking: Promise<void> | undefined;
  #onChange: () => void = () => {};

  constructor(of: Pick<NebulaOfFleet, "port" | "url" | "id">, read: Read) {
    this.#of = of;
    this.#read = read;
    void this.#follow();
  }

  get state(): NebulaState {
    return this.#read.state;
  }

  async read() {
    const late = new AbortController();
    const waited = sleep(WAIT_MS, undefined, { signal: late.signal }).catch(() => undefined);
    this.#asking ??= this.#ask();
    await Promise.race([this.#asking, waited]);
    late.abort();
    return this.#facts();
  }

  folders(): readonly string[] {
    return [];
  }

  workspaceOf(): undefined {
    return undefined;
  }

  listen(onChange: () => void): void {
    this.#onChange = onChange;
  }

  close(): void {
    this.#over.abort();
  }

  #facts() {
    const { id, url } = this.#of;
    const { status, state } = this.#read;
    const continueStep = `quasar nebula continue ${id} --fleet ${shellWord(url)}`;
    const history = this.#history;
    const nebula = fleetNebulaFacts({ state, status, history, continueStep, at: new Date() });
    const fleet = { url, depot: status.depot, silent: this.#silent };
    return { kind: "nebula", nebula, fleet } as const;
  }

  async #ask(): Promise<void> {
    const { port, id } = this.#of;
    try {
      const status = await port.status(id);
      const isSame = status.rev === this.#read.status.rev;
      this.#read = { status, state: isSame ? this.#read.state : stateOf(status) };
      this.#silent = undefined;
    } catch (error) {
      // The screen stays whatever the server says.
      if (!(error instanceof PortError || error instanceof NebulaError)) throw error;
      const why = cleanLine(error.message);
      this.#silent = { since: this.#silent?.since ?? new Date().toISOString(), why };
    } finally {
      this.#asking = undefined;
    }
  }

  /** Takes events as they come, until it is closed. */
  async #follow(): Promise<void> {
    const { port, id } = this.#of;
    const { signal } = this.#over;
    for (let from = 0; !signal.aborted; ) {
      try {
        for await (const { to, events } of port.watch(id, from, signal)) {
          from = to;
          this.#history = continueHistory(this.#history, events);
          this.#onChange();
        }
      } catch (error) {
        // An event that is none; or the server is out of reach, which a look says.
        if (!(error instanceof PortError || error instanceof SyntaxError)) throw error;
      }
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => undefined);
    }
  }
}
