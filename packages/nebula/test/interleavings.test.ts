import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { type PhaseRunOptions } from "../src/context/context.ts";
import type { Told } from "../src/events.ts";
import { listNebulae } from "../src/state/list.ts";
import { agentsOf, aPlace, MANIFEST, phase, type Work, write, commonDir } from "./place.ts";

// Three phases, in every order in which their agents may end, with an engine that dies after each of its events: after
// a resume the branch is the same, and nothing has been worked on or landed twice.

const IDS = ["a", "b", "c"] as const;
const ORDERS = IDS.flatMap((first) =>
  IDS.filter((id) => id !== first).map((second) => {
    const third = IDS.find((id) => id !== first && id !== second) ?? first;
    return [first, second, third] as const;
  }),
);
/** What an engine reports: the branch is verified; three phases are begun and approved, have a candidate, are verified, land. */
const MOST_EVENTS = 17;
const CASES = ORDERS.flatMap((order) =>
  Array.from({ length: MOST_EVENTS }, (_, at) => [order.join(""), at + 1] as const),
);

const FILES = {
  "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\nverify = ["true"]\n`,
  ...Object.fromEntries(IDS.map((id) => [`${id}.md`, phase(id)])),
};

class Died extends Error {}
const NEVER = new AbortController().signal;

/** Coders that end one after the other, in this order; each notes that it worked. */
function inOrder(
  order: string,
  worked: string[],
  signal: AbortSignal,
): (spec: { readonly title: string }) => PhaseRunOptions {
  const waiting = new Map<string, () => void>();
  const open = Array.from(order);
  const next = (): void => {
    const [first] = open;
    const go = first === undefined ? undefined : waiting.get(first);
    if (first === undefined || go === undefined) return;
    open.shift();
    waiting.delete(first);
    go();
  };
  const work: Work = Object.fromEntries(
    IDS.map((id) => [`Phase ${id}`, (tree) => write(tree, { [`${id}.txt`]: `${id}\n` })]),
  );
  const agents = agentsOf(work);
  return (spec) => {
    const id = spec.title.at(-1) ?? "";
    const { coder, reviewer } = agents(spec);
    return {
      reviewer: {
        ...reviewer,
        async invoke(...args) {
          const result = await reviewer.invoke(...args);
          setTimeout(next, 20);
          return result;
        },
      },
      coder: {
        ...coder,
        async invoke(...args) {
          worked.push(id);
          if (open.includes(id) && !signal.aborted) {
            await new Promise<void>((resolve) => {
              waiting.set(id, resolve);
              signal.addEventListener("abort", () => resolve());
              if (waiting.size === open.length) next();
            });
          }
          return coder.invoke(...args);
        },
      },
    };
  };
}

test.for(sample(CASES, 4, 4))(
  "phases that end in the order %s land once each, whatever dies after event %i",
  { timeout: 180_000 },
  async ([order, at]) => {
    const place = aPlace({}, FILES);
    const worked: string[] = [];
    const events: Told[] = [];
    const death = new AbortController();
    const { signal } = death;
    const dieAt = (event: Told): void => {
      if (event.type === "run_event") return;
      events.push(event);
      if (events.length !== at) return;
      death.abort();
      throw new Died();
    };
    const limits = { maxWorkers: 3, totalUsd: 0, phaseUsd: 5 };
    const died = await place
      .apply({}, { limits, optionsOf: inOrder(order, worked, signal), onEvent: dieAt, signal })
      .then(
        () => false,
        (error: unknown) => {
          // Whatever was under way is interrupted by it.
          if (error instanceof Died || signal.aborted) return true;
          throw error;
        },
      );
    expect(died || events.length < at).toBe(true);
    // One that has ended is resumed too: its trees may be there still.
    const [resumed] = listNebulae(commonDir(place));
    const optionsOf = inOrder("", worked, NEVER);
    expect((await place.apply({}, { limits, optionsOf, resumed })).reason).toBe("done");
    expect(place.landings().toSorted()).toEqual(IDS.map((id) => `Land ${id}: Phase ${id}`));
    expect(place.git("ls-tree", "--name-only", "nebula/demo")).toBe("a.txt\nb.txt\nc.txt");
    expect(place.git("worktree", "list").split("\n")).toHaveLength(1);
  },
);
