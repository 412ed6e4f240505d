import type { Limit, LimitStore } from "../state/limit-files.ts";

/** Pauses where nobody says when a limit is lifted; the last one is repeated. */
const PAUSES_MS = [1, 2, 4, 8, 16, 30].map((minutes) => minutes * 60_000);

/** What keeps a phase from beginning a turn. */
export interface Hold {
  /** The agent whose limit stands longest. */
  readonly agent: string;
  /** In milliseconds since 1970; infinite: until another phase has tried that agent. */
  readonly until: number;
}

/**
 * Usage limits by the agent's name: a limit belongs to the agent, not to a phase. Once one is lifted a single turn tries
 * whether it is, and the others follow when that has succeeded.
 */
export class AgentLimits {
  readonly #limits: LimitStore;
  /** Those that are known to who follows the engine. */
  readonly #told = new Set<string>();
  /** By agent: the phase that tries. */
  readonly #probes = new Map<string, string>();

  /** @param limits - What other engines know, too. @default this one's alone */
  constructor(limits: LimitStore = new Map<string, Limit>()) {
    this.#limits = limits;
  }

  /**
   * An agent has met its limit.
   *
   * @param retryAt - RFC 3339: when it is lifted; `undefined` where nobody said so.
   * @returns When it is tried again, in milliseconds since 1970.
   */
  met(agent: string, retryAt: string | undefined, now: number): number {
    const { until: before = 0, tries = 0 } = this.#limits.get(agent) ?? {};
    const said = retryAt === undefined ? Number.NaN : Date.parse(retryAt);
    const pause = PAUSES_MS[Math.min(tries, PAUSES_MS.length - 1)] ?? 0;
    const stands = before > now;
    const least = stands ? before : now + pause;
    const until = said > now ? Math.max(said, stands ? before : 0) : least;
    this.#limits.set(agent, { until, tries: stands ? tries : tries + 1 });
    this.#probes.delete(agent);
    this.#told.add(keyOf(agent, until));
    return until;
  }

  /** A turn of an agent has succeeded. One that was under way when the limit was met lifts nothing. */
  succeeded(agent: string, now: number): void {
    const limit = this.#limits.get(agent);
    if (limit === undefined || limit.until > now) return;
    this.#limits.delete(agent);
    this.#probes.delete(agent);
  }

  /**
   * Whether a phase may have its agents work now; where it is the one that tries, it is noted.
   *
   * @returns What keeps it from that; `undefined`: nothing.
   */
  hold(phase: string, agents: readonly string[], now: number): Hold | undefined {
    const limited: string[] = [];
    let held: Hold | undefined;
    for (const agent of agents) {
      const { until } = this.#limits.get(agent) ?? {};
      if (until === undefined) continue;
      limited.push(agent);
      const probe = this.#probes.get(agent);
      const isTried = probe !== undefined && probe !== phase;
      const end = until > now ? until : isTried ? Number.POSITIVE_INFINITY : undefined;
      if (end !== undefined && end > (held?.until ?? 0)) held = { agent, until: end };
    }
    if (held !== undefined) return held;
    for (const agent of limited) this.#probes.set(agent, phase);
    return undefined;
  }

  /** Whether an agent may begin no turn now, in any phase. */
  stands(agent: string, now: number): boolean {
    return (this.#limits.get(agent)?.until ?? now) > now;
  }

  /** Those of these agents whose limits stand and were not reported yet: each once. */
  news(agents: readonly string[], now: number): readonly { agent: string; until: number }[] {
    return agents.flatMap((agent) => {
      const { until = 0 } = this.#limits.get(agent) ?? {};
      const key = keyOf(agent, until);
      if (until <= now || this.#told.has(key)) return [];
      this.#told.add(key);
      return [{ agent, until }];
    });
  }

  /** A phase works no more, whatever became of it: another one may try. */
  left(phase: string): void {
    for (const [agent, probe] of this.#probes) if (probe === phase) this.#probes.delete(agent);
  }
}

function keyOf(agent: string, until: number): string {
  return `${until} ${agent}`;
}
