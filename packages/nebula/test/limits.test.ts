import type { AgentInvoker, AgentResult } from "@quasar/agents";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Told } from "../src/events.ts";
import { readNebulaFacts } from "../src/facts/read-facts.ts";
import { nebulaEvents } from "../src/state/events.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  warnings,
  type Work,
  write,
} from "./place.ts";

const IDS = ["a", "b", "c", "d"] as const;
const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\n`,
  ...Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)])),
};
const WORK: Work = Object.fromEntries(
  IDS.map((id) => [`Phase ${id}`, (tree: string) => write(tree, { [id]: id })]),
);
const limits = { maxWorkers: 3, totalUsd: 0, phaseUsd: 5 };

const HOUR = 3_600_000;

/** The engines' own clock. All of it is before that of the machine, by which a run looks at what has been announced. */
class Clock {
  ms: number;
  readonly lifted: number;
  /** @param ms - Against the clock of the machine. */
  constructor(ms: number = -4 * HOUR) {
    this.ms = Date.now() + ms;
    this.lifted = this.ms + HOUR;
  }
  readonly now = (): Date => new Date(this.ms);
  isLimited(): boolean {
    return this.ms < this.lifted;
  }
}

const limitedUntil = (until: number): AgentResult => ({
  failure: {
    kind: "rate-limit",
    message: "limit reached",
    retryable: false,
    retryAt: new Date(until).toISOString(),
  },
  ...{ text: "", costUsd: 0, costSource: "reported", durationMs: 1 },
});

interface Limited {
  readonly clock: Clock;
  /** Ids of the phases whose coders were asked, and `done` where one has ended. */
  readonly asked: string[];
  /** The coder of a phase, by its id. @default `coder` for all */
  readonly nameOf?: (id: string) => string;
  /** How many have begun before the first of them meets the limit. @default 3 */
  readonly together?: number;
}

/** Agents of which the one with the name `coder` has a usage limit. */
const limitedCoder = ({ clock, asked, nameOf = () => "coder", together = 3 }: Limited) => {
  const agents = agentsOf(WORK);
  return (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    const id = spec.title.at(-1) ?? "";
    const name = nameOf(id);
    const invoke: AgentInvoker["invoke"] = async (request, ...rest) => {
      asked.push(id);
      if (name === "coder" && clock.isLimited()) {
        await vi.waitFor(() => expect(asked.length).toBeGreaterThanOrEqual(together), 20_000);
        return limitedUntil(clock.lifted);
      }
      const result = await coder.invoke(request, ...rest);
      // What does not wait for this one gets the time to begin.
      await sleep(200);
      asked.push("done");
      return result;
    };
    return { coder: { ...coder, name, invoke }, reviewer };
  };
};

const met = ({ told }: Place): number =>
  told.filter((event) => event.type === "agent_limited").length;

test("a usage limit stops all phases of the agent, and the same command works later", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const clock = new Clock();
  const options = { limits, optionsOf: limitedCoder({ clock, asked }), now: clock.now };
  const { reason, state } = await place.apply(WORK, options);
  expect(reason).toBe("limit");
  // Those that were under way met it; the fourth never asked.
  expect(asked.toSorted()).toEqual(["a", "b", "c"]);
  expect(state.phases.map(({ status }) => status)).toEqual([
    ...["running", "running", "running"],
    "pending",
  ]);
  clock.ms = clock.lifted;
  expect((await place.apply(WORK, options)).reason).toBe("done");
});

test("once the limit is lifted one phase tries, and the others follow when it has succeeded", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const clock = new Clock();
  const onEvent = (event: Told): void => {
    place.told.push(event);
    if (met(place) === 3) clock.ms = clock.lifted;
  };
  const { reason } = await place.apply(WORK, {
    limits: { ...limits, waitMs: 2 * HOUR },
    ...{ optionsOf: limitedCoder({ clock, asked }), now: clock.now, onEvent },
  });
  expect(reason).toBe("done");
  // Three met it, then one tried alone, and each of the four worked once.
  expect(asked.slice(3)).toHaveLength(8);
  expect(asked[4]).toBe("done");
  expect(asked.slice(5).filter((each) => each !== "done")).toHaveLength(3);
});

test("phases of another agent are worked on while one has met its limit, and nobody holds a worker for it", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const clock = new Clock();
  const nameOf = (id: string): string => (id === "d" ? "other" : "coder");
  const { reason, state } = await place.apply(WORK, {
    limits: { ...limits, maxWorkers: 1 },
    ...{ optionsOf: limitedCoder({ clock, asked, nameOf, together: 1 }), now: clock.now },
  });
  expect(reason).toBe("limit");
  // The only worker there is met it once, and then worked for the other agent.
  expect(asked).toEqual(["a", "d", "done"]);
  expect(state.phases.map(({ status }) => status)).toEqual([
    ...["running", "pending", "pending"],
    "done",
  ]);
});

test("engines of other repositories know of a limit until a turn has succeeded", async () => {
  const asked: string[] = [];
  const clock = new Clock();
  const [one, other] = [aPlace({}, FILES), aPlace({}, FILES)];
  const stateFolder = join(one.root, "state", "quasar");
  const options = {
    limits,
    optionsOf: limitedCoder({ clock, asked }),
    now: clock.now,
    stateFolder,
  };
  await one.apply(WORK, options);
  expect(asked).toHaveLength(3);
  expect((await other.apply(WORK, options)).reason).toBe("limit");
  expect(asked).toHaveLength(3);
  // It is on record once, with the phase that came to it first, and says nothing of where it was met.
  const until = new Date(clock.lifted).toISOString();
  const met = { type: "agent_limited", phase: "a", agent: "coder", until, message: "" };
  const events = nebulaEvents(commonDir(other), newest(other).id);
  expect(events.filter(({ type }) => type === "agent_limited")).toMatchObject([met]);
  expect(warnings(other)).toEqual([]);
  clock.ms = clock.lifted;
  expect((await other.apply(WORK, options)).reason).toBe("done");
  // The first one went ahead alone.
  expect(asked[4]).toBe("done");
  expect(readdirSync(join(stateFolder, "limits"))).toEqual([]);
});

test("a run that is under way asks no agent that has met its limit in another phase", async () => {
  const place = aPlace({}, FILES);
  const clock = new Clock();
  const agents = agentsOf(WORK);
  const reviews: string[] = [];
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    const isFirst = spec.title === "Phase a";
    const code: AgentInvoker["invoke"] = async (...given) => {
      if (!isFirst) return clock.isLimited() ? limitedUntil(clock.lifted) : coder.invoke(...given);
      await vi.waitFor(() => expect(met(place)).toBeGreaterThan(0), 20_000);
      return coder.invoke(...given);
    };
    const review: AgentInvoker["invoke"] = (...given) => {
      reviews.push(spec.title);
      return reviewer.invoke(...given);
    };
    return {
      coder: { ...coder, name: isFirst ? "other" : "limited", invoke: code },
      reviewer: { ...reviewer, name: "limited", invoke: review },
    };
  };
  const options = { limits, optionsOf, now: clock.now };
  expect((await place.apply(WORK, options)).reason).toBe("limit");
  expect(reviews).toEqual([]);
  clock.ms = clock.lifted;
  expect((await place.apply(WORK, options)).reason).toBe("done");
});

test("who removes the file of a limit has the agent asked again, whatever its run was told", async () => {
  const place = aPlace({}, FILES);
  const asked: string[] = [];
  const clock = new Clock();
  const stateFolder = join(place.root, "state", "quasar");
  const options = {
    limits: { ...limits, maxWorkers: 1 },
    ...{ optionsOf: limitedCoder({ clock, asked, together: 1 }), now: clock.now, stateFolder },
  };
  expect((await place.apply(WORK, options)).reason).toBe("limit");
  const folder = join(stateFolder, "limits");
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  const isLimited = vi.spyOn(clock, "isLimited").mockReturnValue(false);
  expect((await place.apply(WORK, options)).reason).toBe("done");
  expect(isLimited).toHaveBeenCalled();
  expect(readdirSync(folder)).toEqual([]);
});

test("each phase that waits for a limit says until when, begun or not, as long as the limit stands", async () => {
  const place = aPlace({}, FILES);
  const clock = new Clock(0);
  const nameOf = (id: string): string => (id === "d" ? "other" : "coder");
  const limited = limitedCoder({ clock, asked: [], nameOf, together: 1 });
  await place.apply(WORK, {
    limits: { ...limits, maxWorkers: 1 },
    ...{ optionsOf: limited, now: clock.now },
  });
  const standings = async (): Promise<readonly string[]> => {
    const { phases } = await readNebulaFacts(commonDir(place), newest(place));
    return phases.map(({ standing, retryAt }) => `${standing} ${retryAt}`.trim());
  };
  const until = new Date(clock.lifted).toISOString();
  expect(await standings()).toEqual([...Array(3).fill(`limited ${until}`), "landed"]);
  // It is the agent's, whatever becomes of it: another engine has met it again, then it is lifted.
  const [name = ""] = readdirSync(join(place.root, "state", "quasar", "limits"));
  const file = join(place.root, "state", "quasar", "limits", name);
  writeFileSync(file, JSON.stringify({ agent: "coder", until: clock.lifted + HOUR, tries: 2 }));
  const later = new Date(clock.lifted + HOUR).toISOString();
  expect(await standings()).toContain(`limited ${later}`);
  rmSync(file);
  expect(await standings()).toEqual(["stopped", "pending", "pending", "landed"]);
});

test("a phase whose limit is over is tried before the engine ends, while others wait for a person", async () => {
  const files = { ...FILES, "d.md": phase("d", 'gate = "review"') };
  const place = aPlace({}, files);
  const asked: string[] = [];
  const clock = new Clock();
  const nameOf = (id: string): string => (id === "d" ? "other" : "coder");
  const onEvent = (event: Told): void => {
    place.told.push(event);
    // The limit is over at the very moment at which nothing else is left to do.
    if (event.type === "phase_waits") clock.ms = clock.lifted;
  };
  const optionsOf = limitedCoder({ clock, asked, nameOf, together: 1 });
  const { reason, state } = await place.apply(WORK, {
    limits: { ...limits, maxWorkers: 1 },
    ...{ optionsOf, now: clock.now, onEvent },
  });
  expect(reason).toBe("waiting");
  expect(state.phases.map(({ status }) => status)).toEqual([
    ...["done", "done", "done"],
    "awaiting_human",
  ]);
});
