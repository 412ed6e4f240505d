import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { ApplyEnd, ApplyOptions } from "../src/engine/apply.ts";
import { openRepository } from "@quasar/git";
import { updateBase } from "../src/engine/update-base.ts";
import { planUpdate } from "../src/people/update.ts";
import { updateNebula } from "../src/people/update-nebula.ts";
import { NebulaError } from "../src/errors.ts";
import type { Told } from "../src/events.ts";
import { loadNebula } from "../src/spec/index.ts";
import { answerPhase } from "../src/people/answer.ts";
import { nebulaEvents } from "../src/state/events.ts";
import { readSpec } from "../src/state/copy.ts";
import { nebulaHome } from "../src/state/home.ts";
import {
  agentsOf,
  aPlace,
  MANIFEST,
  phase,
  type Place,
  type Work,
  write,
  newest,
  commonDir,
  GATED,
  WRITES_BOTH,
} from "./place.ts";

const FILES = {
  "nebula.toml": MANIFEST,
  "a.md": phase("a"),
  "b.md": phase("b", 'gate = "review"\ndepends_on = ["a"]'),
  "c.md": phase("c", 'depends_on = ["b"]'),
  "e.md": phase("e"),
};
const WORK: Work = Object.fromEntries(
  ["a", "b", "c", "d", "e"].map((id) => [
    `Phase ${id}`,
    (tree: string) => write(tree, { [id]: id }),
  ]),
);

const planned = (place: Place) => {
  const home = nebulaHome(commonDir(place), newest(place).id);
  const { updates, isChanged } = planUpdate(home, newest(place), loadNebula(place.dir));
  return { updates, isChanged };
};
const update = (place: Place) =>
  updateNebula(commonDir(place), newest(place), loadNebula(place.dir));

test("phases that are new join, those that have not begun take their new text, others keep theirs", async () => {
  const place = aPlace({}, FILES);
  expect((await place.apply(WORK)).reason).toBe("waiting");
  expect(planned(place)).toEqual({ updates: [], isChanged: false });

  write(place.dir, {
    "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 1\n`,
    "b.md": `${FILES["b.md"]}And more.\n`,
    "c.md": phase("c", "depends_on = []"),
    // In the file of one that has landed.
    "e.md": phase("d", 'blocks = ["b", "c"]'),
  });
  const updates = [
    { phase: "b", what: "kept" },
    { phase: "c", what: "edited" },
    { phase: "d", what: "added" },
    { phase: "e", what: "gone" },
  ];
  const before = newest(place);
  expect(planned(place)).toEqual({ updates, isChanged: true });
  expect(newest(place)).toEqual(before);
  expect(update(place)).toBe("done");
  const { phases } = newest(place);
  expect(phases.find(({ id }) => id === "d")).toMatchObject({ status: "pending", attempt: 1 });
  for (const id of ["a", "b", "c", "e"]) {
    expect(phases.find((each) => each.id === id)).toEqual(
      before.phases.find((each) => each.id === id),
    );
  }
  const end = await place.apply(WORK, { resumed: newest(place), loaded: undefined });
  expect(end.state.phases.filter(({ status }) => status === "done")).toHaveLength(4);
  expect(place.landings().toSorted()).toEqual(
    ["a", "c", "d", "e"].map((id) => `Land ${id}: Phase ${id}`),
  );
});

test("a nebula is updated whose file names are in another order by bytes than by UTF-16 units", async () => {
  const first = { "nebula.toml": MANIFEST, "\uFF21.md": phase("a") };
  const place = aPlace({}, first);
  expect((await place.apply(WORK)).reason).toBe("done");
  write(place.dir, { "\u{1F600}.md": phase("b") });
  expect(update(place)).toBe("done");
  const home = nebulaHome(commonDir(place), newest(place).id);
  expect(readSpec(home, newest(place).revision).phases.map(({ id }) => id)).toEqual(["a", "b"]);
  const held = { commit: place.git("rev-parse", "main"), name: "main", withAgent: false };
  await updateBase(await openRepository(place.repo), newest(place), held);
  expect(readSpec(home, newest(place).revision).phases.map(({ id }) => id)).toContain("base-1");
});

test("a phase that begins again takes the text that its file has by then", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": FILES["a.md"] });
  await place.apply(WORK);
  const decide = (decision: Partial<Parameters<typeof answerPhase>[2]>) =>
    answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a", ...decision });
  expect(decide({ verb: "reject", isFinal: true })).toEqual({ kind: "done" });
  expect(decide({})).toEqual({ kind: "done" });
  write(place.dir, { "a.md": `${FILES["a.md"]}With care.\n` });
  expect(planned(place).updates).toEqual([{ phase: "a", what: "edited" }]);
  expect(update(place)).toBe("done");
  const prompts: string[] = [];
  const careful: Work = {
    "Phase a": (tree, { prompt }) => {
      prompts.push(prompt);
      write(tree, { a: "careful" });
    },
  };
  await place.apply(careful);
  expect(prompts.length).toBeGreaterThan(0);
  expect(prompts.every((prompt) => prompt.includes("With care."))).toBe(true);
});

test("a folder of another nebula, and one that is not valid with what has begun, change nothing", async () => {
  const place = aPlace(
    {},
    {
      ...FILES,
      "g.md": phase("g", 'depends_on = ["c"]\nblocks = ["h"]'),
      "h.md": phase("h", 'depends_on = ["b"]'),
    },
  );
  await place.apply(WORK);
  const before = newest(place);
  write(place.dir, { "nebula.toml": '[nebula]\nname = "other"\n' });
  expect(() => update(place)).toThrow("and not demo");
  // A phase stays whose file is gone: h waits for it, and it for c.
  rmSync(join(place.dir, "g.md"));
  write(place.dir, { "nebula.toml": MANIFEST, "c.md": phase("c", 'depends_on = ["h"]') });
  expect(() => update(place)).toThrow(expect.objectContaining({ code: "ERR_INVALID_NEBULA" }));
  expect(newest(place)).toEqual(before);
});

const REFUSED = "ISSUE:\nSEVERITY: major\nDESCRIPTION: not yet\n";

/** Phase a, whose folder is updated during its first turn: what its agents were asked, and how it has ended. */
async function updatedWhileWorking(
  reviews: readonly string[],
  change: (place: Place) => void,
  stopAt?: (told: Told) => boolean,
) {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const prompts: string[] = [];
  const left = [...reviews];
  const stop = new AbortController();
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf(WORK)(spec);
    if (spec.id !== "a") return { coder, reviewer };
    return {
      coder: {
        ...coder,
        invoke: async (request) => {
          prompts.push(request.prompt);
          if (prompts.length === 1) {
            change(place);
            expect(update(place)).toBe("left");
            const taken = () => place.told.some(({ type }) => type === "nebula_updated");
            await vi.waitFor(() => expect(taken()).toBe(true), 20_000);
          }
          return coder.invoke(request);
        },
      },
      reviewer: {
        ...reviewer,
        invoke: async (request) => {
          const answer = await reviewer.invoke(request);
          return { ...answer, text: left.shift() ?? answer.text };
        },
      },
    };
  };
  const given = { optionsOf, signal: stop.signal };
  const onEvent = (event: Told): void => {
    place.told.push(event);
    if (stopAt?.(event) === true) stop.abort();
  };
  const first = await place.apply(WORK, { ...given, onEvent });
  const again = { optionsOf, resumed: newest(place), loaded: undefined };
  const end = first.reason === "interrupted" ? await place.apply(WORK, again) : first;
  return { place, prompts, end };
}

const newText = ({ dir }: Place) => write(dir, { "a.md": `${phase("a")}And more.\n` });
const isRunEvent = (told: Told, type: string): boolean =>
  told.type === "run_event" && told.event.type === type;

test("an engine takes an update while it works: a running phase at the end of its cycle, new ones at once", async () => {
  const { place, prompts, end } = await updatedWhileWorking([REFUSED], (at) => {
    newText(at);
    write(at.dir, { "d.md": phase("d") });
  });
  expect(end.reason).toBe("done");
  expect(place.landings()).toHaveLength(2);
  expect(prompts).toHaveLength(2);
  expect(prompts[0]).not.toContain("And more.");
  expect(prompts[1]).toMatch(/The task as it is now:\n\n---\nPhase a\n\nDo a\.\nAnd more\.\n/u);
  expect(place.told.filter((told) => isRunEvent(told, "refactored"))).toHaveLength(1);
  const approved = place.told.find((told) => told.type === "phase_approved" && told.phase === "a");
  expect(approved).not.toHaveProperty("isOutdated", true);
});

test.for(["review_complete", "cycle_start"])(
  "a new text is taken once, although the engine ends at the %s around it",
  async (type) => {
    let seen = 0;
    const at = type === "cycle_start" ? 2 : 1;
    const { place, prompts, end } = await updatedWhileWorking(
      [REFUSED, REFUSED],
      newText,
      (told) => isRunEvent(told, type) && (seen += 1) === at,
    );
    expect(end.reason).toBe("done");
    const told = prompts.filter((prompt) => prompt.includes("The task as it is now"));
    expect([prompts.length, told.length]).toEqual([3, 1]);
    expect(place.told.filter((each) => isRunEvent(each, "refactored"))).toHaveLength(1);
  },
);

test("a phase that is approved before its new text reaches it lands as it was, which is reported", async () => {
  const { place, prompts, end } = await updatedWhileWorking([], newText);
  expect([end.reason, prompts.length]).toEqual(["done", 1]);
  const approved = place.told.find(({ type }) => type === "phase_approved");
  expect(approved).toMatchObject({ phase: "a", isOutdated: true });
});

/** Works on a phase during which an update is left, and waits until that is judged. */
async function judged(place: Place, admit: ApplyOptions["admit"]): Promise<ApplyEnd> {
  const work: Work = { "Phase a": (tree) => write(tree, { a: "a" }) };
  const optionsOf: ApplyOptions["optionsOf"] = (spec) => {
    const { coder, reviewer } = agentsOf(work)(spec);
    const invoke: typeof coder.invoke = async (request) => {
      write(place.dir, { "d.md": phase("d") });
      expect(update(place)).toBe("left");
      const isJudged = ({ type }: Told) => type === "warning" || type === "engine_stops";
      await vi.waitFor(() => expect(place.told.some(isJudged)).toBe(true), 20_000);
      return coder.invoke(request);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  return place.apply(work, { optionsOf, admit });
}

test("an update that may not be worked on is refused on record, and the engine continues", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const { reason, state } = await judged(place, () => {
    throw new NebulaError("ERR_USAGE", "not trusted");
  });
  expect([reason, state.phases.length]).toEqual(["done", 1]);
  const refused = { type: "warning", message: "the update was not taken: not trusted" };
  expect(place.told).toContainEqual(refused);
  expect(nebulaEvents(commonDir(place), state.id)).toContainEqual(expect.objectContaining(refused));
});

test("what fails while an update is taken is no refusal: the engine ends, and the update is there for the next", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const failing = judged(place, () => {
    throw new TypeError("a mistake in the engine");
  });
  await expect(failing).rejects.toThrow("a mistake in the engine");
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect([reason, state.phases.length]).toEqual(["done", 2]);
});
