/** Pauses where nobody says when a limit is lifted; the last one is repeated. */
const PAUSES_MS = [1, 2, 4, 8, 16, 30].map((minutes) => minutes * 60_000);

interface Limit {
  /** Milliseconds since 1970. */
  readonly until: number;
  /** How often it was met since a turn of the agent succeeded. */
  readonly tries: number;
}

/**
 * Usage limits by the agent's name: a limit belongs to the agent, not to a phase. Once one is lifted a single turn tries
 * whether it is, and the others follow when that has succeeded.
 */
export class AgentLimits {
  readonly #limits = new Map<string, Limit>();
  /** By agent: the phase that tries. */
  readonly #probes = new Map<string, string>();

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
    return until;
  }

  /** A turn of an agent has succeeded. One that was under way when the limit was met lifts nothing. */
  succeeded(agent: string, now: number): void {
    if ((this.#limits.get(agent)?.until ?? now) > now) return;
    this.#limits.delete(agent);
    this.#probes.delete(agent);
  }

  /**
   * Whether a phase may have its agents work now; where it is the one that tries, it is noted.
   *
   * @returns When it may, in milliseconds since 1970, where that is not now; infinite: once another one has tried.
   */
  heldUntil(phase: string, agents: readonly string[], now: number): number | undefined {
    const limited = agents.filter((agent) => this.#limits.has(agent));
    let held: number | undefined;
    for (const agent of limited) {
      const { until } = this.#limits.get(agent) ?? { until: 0 };
      const probe = this.#probes.get(agent);
      if (until > now) held = Math.max(held ?? 0, until);
      else if (probe !== undefined && probe !== phase) held = Number.POSITIVE_INFINITY;
    }
    if (held !== undefined) return held;
    for (const agent of limited) this.#probes.set(agent, phase);
    return undefined;
  }

  /** A phase works no more, whatever became of it: another one may try. */
  left(phase: string): void {
    for (const [agent, probe] of this.#probes) if (probe === phase) this.#probes.delete(agent);
  }
}
