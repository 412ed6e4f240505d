import type { NebulaPort, NebulaStatus } from "../port/index.ts";
import type { Seen } from "./conductor.ts";
import { isUnreachable } from "./reach.ts";
import { stateOf } from "./state-of.ts";

/** How long a lane is left alone, unless something else than this is seen of its nebula. */
interface Rest {
  readonly ms: number;
  /** By `performance.now()`. */
  readonly untilMs: number;
  readonly while: string;
}

/** The longest, in milliseconds: somebody may have put the branch right at the depot. */
const MOST_MS = 600_000;

/** The lanes that this worker leaves alone, since a conductor here had nothing to do, or has failed. */
export class LaneRests {
  readonly #port: Pick<NebulaPort, "status">;
  /** The last of each, which may be over. */
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
   * Leaves a lane alone for so many milliseconds; twice as long as the time before where nothing has happened since.
   *
   * @param heard - What its conductor has heard of people last: what they have said since is for the next one, at once.
   */
  async rest(nebula: string, ms: number, heard: Seen | undefined): Promise<void> {
    try {
      const status = await this.#port.status(nebula);
      this.#keep(nebula, ms, seenOf({ ...status, ...heard }));
    } catch (error) {
      // What cannot be heard for a moment says nothing of the nebula.
      this.#keep(nebula, isUnreachable(error) ? 0 : ms, UNREADABLE);
    }
  }

  #keep(nebula: string, given: number, seen: string): void {
    const last = this.#rests.get(nebula);
    const ms = last?.while === seen ? Math.min(Math.max(given, 2 * last.ms), MOST_MS) : given;
    this.#rests.set(nebula, { ms, untilMs: performance.now() + ms, while: seen });
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
