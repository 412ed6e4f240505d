import type { NebulaPort, NebulaStatus } from "../port/index.ts";
import type { Seen } from "./conductor.ts";
import { isUnreachable } from "./reach.ts";
import { stateOf } from "./state-of.ts";

/** How long a lane is left alone, by `performance.now()`, unless something else than this is seen of its nebula. */
interface Rest {
  readonly untilMs: number;
  readonly while: string;
}

/** The lanes that this worker leaves alone, since a conductor here had nothing to do, or has failed. */
export class LaneRests {
  readonly #port: Pick<NebulaPort, "status">;
  readonly #rests = new Map<string, Rest>();

  constructor(port: Pick<NebulaPort, "status">) {
    this.#port = port;
  }

  async isAtRest(nebula: string): Promise<boolean> {
    const rest = this.#rests.get(nebula);
    if (rest === undefined || performance.now() >= rest.untilMs) return false;
    return seenOf(await this.#port.status(nebula)) === rest.while;
  }

  /**
   * Leaves a lane alone for so many milliseconds.
   *
   * @param heard - What its conductor has heard of people last: what they have said since is for the next one, at once.
   */
  async rest(nebula: string, ms: number, heard: Seen | undefined): Promise<void> {
    const untilMs = performance.now() + ms;
    try {
      const status = await this.#port.status(nebula);
      this.#rests.set(nebula, { untilMs, while: seenOf({ ...status, ...heard }) });
    } catch (error) {
      // What cannot be heard for a moment says nothing of the nebula.
      this.#rests.set(nebula, { untilMs: isUnreachable(error) ? 0 : untilMs, while: UNREADABLE });
    }
  }

  end(nebula: string): void {
    this.#rests.delete(nebula);
  }
}

/** In place of what is seen of a nebula whose state this worker cannot read. */
const UNREADABLE = "";

/** What of a nebula has to be another before a conductor that has ended has something to do again. */
function seenOf(status: NebulaStatus): string {
  try {
    const { phases, planVerdict, revision } = stateOf(status);
    return JSON.stringify([
      ...[phases, planVerdict, revision],
      ...[status.inbox.map(({ key }) => key), status.orders],
    ]);
  } catch {
    return UNREADABLE;
  }
}
