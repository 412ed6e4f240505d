import { appendFileSync, copyFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { openJournal } from "@quasar/durable/journal";
import { expect, test } from "vitest";
import type { NebulaFacts } from "../src/facts/nebula-facts.ts";
import { openNebulaFacts, readNebulaFacts } from "../src/facts/read-facts.ts";
import { answerPhase } from "../src/people/answer.ts";
import { nebulaCost } from "../src/state/cost.ts";
import { nebulaHome } from "../src/state/home.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  GATED,
  IN_ORDER,
  MANIFEST,
  newest,
  phase,
  type Place,
  write,
  WRITES_BOTH,
} from "./place.ts";

const factsOf = (place: Place): Promise<NebulaFacts> =>
  readNebulaFacts(commonDir(place), newest(place));

const journalOf = (place: Place): string => nebulaHome(commonDir(place), newest(place).id).journal;

const HOSTILE = "\u001b]0;owned\u0007<img src=x onerror=alert(1)>\n# forged | `x`";

test("what landed has its tree, the verifications of it, and what its runs have cost", async () => {
  const verify = `${MANIFEST}[execution]\nverify = ["true"]\ntotal_budget_usd = 9.0\n`;
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": verify });
  const { state } = await place.apply(WRITES_BOTH);
  const facts = await factsOf(place);
  expect(facts).toMatchObject({ status: "done", landedCount: 2, phaseCount: 2, needs: [] });
  expect(facts.landings.map(({ phase: id, number }) => [id, number])).toEqual([
    ["a", 1],
    ["b", 2],
  ]);
  for (const { sha, tree, isVerified, isVerifiedTree, verifications, at } of facts.landings) {
    expect(place.git("rev-parse", `${sha}^{tree}`)).toBe(tree);
    expect([isVerified, isVerifiedTree]).toEqual([true, true]);
    expect(verifications).toMatchObject([{ tree, outcome: "passed" }]);
    expect(Date.parse(at)).toBeGreaterThan(0);
  }
  expect(facts.tipSha).toBe(place.git("rev-parse", "nebula/demo"));
  const cost = await nebulaCost(commonDir(place), state);
  expect(facts.money).toMatchObject({ spentUsd: cost.total.spentUsd, maxUsd: 9, reservedUsd: 0 });
  expect(facts.money.byPhase.map(({ name, turnCount }) => [name, turnCount])).toEqual([
    ["a", 2],
    ["b", 2],
  ]);
  const known = facts.money.byRole.reduce((sum, { knownUsd }) => sum + knownUsd, 0);
  expect(known).toBeCloseTo(facts.money.knownUsd, 9);
  expect(facts.phases.map(({ wave, standing, title }) => [wave, standing, title])).toEqual([
    [1, "landed", "Phase a"],
    [2, "landed", "Phase b"],
  ]);
  expect(facts.phases[0]?.runs[0]).toMatchObject({ status: "approved" });
  expect(facts.lives).toMatchObject([{ end: "done" }]);
  expect(facts.recovery).toMatchObject({ crashCount: 0, resumeCount: 0 });
});

test("a person is needed at a gate, and a decision of theirs is on record", async () => {
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": GATED });
  await place.apply(WRITES_BOTH);
  const before = await factsOf(place);
  const [need] = before.needs;
  const { digest } = before.phases[0] ?? {};
  expect(before.needs).toHaveLength(1);
  expect(need).toMatchObject({ kind: "land", phase: "a", digest, questionId: "" });
  expect([before.status, before.lives[0]?.end]).toEqual(["stopped", "waiting"]);
  const state = newest(place);
  answerPhase(commonDir(place), state, {
    ...{ verb: "reject", phase: "a", reason: HOSTILE, isFinal: false },
  });
  await place.apply(WRITES_BOTH);
  const after = await factsOf(place);
  expect(after.decisions).toMatchObject([{ phase: "a", verb: "reject", reason: HOSTILE }]);
  expect(after.phases[0]?.attempts.map(({ attempt }) => attempt)).toEqual([1, 2]);
  expect(after.lives.map(({ end }) => end)).toEqual(["waiting", "waiting"]);
});

test("the facts are the same for the same files, and the very same object where nothing changed", async () => {
  const place = aPlace({}, IN_ORDER);
  await place.apply(WRITES_BOTH);
  const reader = openNebulaFacts(commonDir(place), newest(place).id);
  const first = await reader.look();
  expect(await reader.look()).toBe(first);
  expect(await factsOf(place)).toEqual(first);
  appendFileSync(journalOf(place), "");
  expect(await reader.look()).toEqual(first);
});

test("a reader that follows sees what a later one sees, also after a torn or another journal", async () => {
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": GATED });
  await place.apply(WRITES_BOTH);
  const reader = openNebulaFacts(commonDir(place), newest(place).id);
  await reader.look();
  const path = journalOf(place);
  const seen = async (): Promise<void> => expect(await reader.look()).toEqual(await factsOf(place));
  const [whole, copy] = [readFileSync(path), `${path}.copy`];
  copyFileSync(path, copy);
  // A record that is being written.
  appendFileSync(path, '{"seq":9999,"prev":"');
  await seen();
  writeFileSync(path, whole);
  await seen();
  // What a power cut takes.
  truncateSync(path, whole.length - 40);
  await seen();
  truncateSync(path, 0);
  await seen();
  const other = openJournal(path, { joins: true });
  for (let n = 0; n < 200; n++) {
    other.add({ at: new Date(n).toISOString(), type: "warning", message: `w${n}` });
    if (n % 50 === 0) other.sync();
  }
  other.close();
  await seen();
  expect((await reader.look()).events).toHaveLength(200);
  // Damage: what is behind it is not believed.
  const bytes = readFileSync(path);
  bytes.writeUInt8(0x21, bytes.indexOf("w77"));
  writeFileSync(path, bytes);
  const damaged = await reader.look();
  expect(damaged.events.length).toBeLessThan(100);
  expect(damaged.problems).toEqual([expect.stringContaining("journal is damaged")]);
});

test("a look at ten thousand events costs what is new", async () => {
  const place = aPlace({}, IN_ORDER);
  await place.apply(WRITES_BOTH);
  const reader = openNebulaFacts(commonDir(place), newest(place).id);
  const journal = openJournal(journalOf(place), { joins: true });
  const add = (n: number): void => {
    const message = `warning ${n}`;
    journal.add({ at: new Date(n).toISOString(), type: "warning", phase: "a", message: "again" });
    journal.add({ at: new Date(n).toISOString(), type: "engine_stops", reason: message });
  };
  for (let n = 0; n < 5000; n++) add(n);
  const whole = await timed(() => reader.look());
  const looks: number[] = [];
  for (let n = 0; n < 20; n++) {
    add(5000 + n);
    looks.push((await timed(() => reader.look())).ms);
  }
  journal.close();
  expect(whole.value.events.length).toBeGreaterThan(10_000);
  expect(looks.toSorted((one, other) => one - other)[10]).toBeLessThan(whole.ms / 4);
  expect(await factsOf(place)).toEqual(await reader.look());
});

async function timed<T>(work: () => Promise<T>): Promise<{ ms: number; value: T }> {
  const start = performance.now();
  const value = await work();
  return { ms: performance.now() - start, value };
}

test("a phase that failed needs a person, in the words of its agent, whatever they hold", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") });
  await place.apply(
    {
      "Phase a": () => {
        throw new Error(HOSTILE);
      },
      "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
    },
    { optionsOf: (spec) => ({ ...agentsOf({})(spec), ...failing(spec.title) }) },
  );
  const facts = await factsOf(place);
  expect(facts.needs).toMatchObject([{ kind: "failed", phase: "a" }]);
  for (const { text } of facts.events) expect(text).not.toMatch(/\p{Cc}/u);
});

function failing(title: string) {
  const work = title === "Phase a" ? { [title]: () => Promise.reject(new Error(HOSTILE)) } : {};
  return agentsOf(work)({ title });
}

test("an archived nebula needs nobody", async () => {
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": GATED });
  const { state } = await place.apply(WRITES_BOTH);
  await place.apply(WRITES_BOTH, { fresh: true, resumed: undefined });
  const facts = await readNebulaFacts(commonDir(place), state);
  expect([facts.isArchived, facts.needs]).toEqual([true, []]);
});
