import { rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { Told } from "../src/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import { nebulaEvents } from "../src/state/events.ts";
import {
  aPlace,
  MANIFEST,
  phase,
  type Place,
  type Work,
  write,
  newest,
  WRITES_BOTH,
  IN_ORDER,
  GATED,
  commonDir,
  warnings,
} from "./place.ts";

const FILES = { ...IN_ORDER, "nebula.toml": GATED };

const answer = (place: Place, verb: "approve" | "reject" | "retry" | "skip", id = "a", more = {}) =>
  answerPhase(commonDir(place), newest(place), { verb, phase: id, ...more });

test("a phase with a gate lands once a person has approved its change, and not before", async () => {
  const place = aPlace({}, FILES);
  const asked = await place.apply(WRITES_BOTH);
  expect(asked.reason).toBe("waiting");
  expect(asked.state.phases[0]).toMatchObject({ status: "awaiting_human", question: "land" });
  expect(place.landings()).toEqual([]);
  // Asked again, it waits on: nobody has answered.
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");

  expect(answer(place, "approve")).toEqual({ kind: "done" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("waiting");
  expect(place.landings()).toEqual(["Land a: Phase a"]);
  expect(answer(place, "approve", "b")).toEqual({ kind: "done" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(answer(place, "approve", "b")).toMatchObject({ kind: "refused" });
});

test("what is approved is the change: it lands without another question whatever else has landed", async () => {
  const files = { "nebula.toml": GATED, "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({}, files);
  await place.apply(WRITES_BOTH);
  expect(newest(place).phases.map(({ status }) => status)).toEqual(Array(2).fill("awaiting_human"));
  for (const id of ["b", "a"]) expect(answer(place, "approve", id)).toEqual({ kind: "done" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(place.landings()).toHaveLength(2);
});

/** Has a person commit on the nebula's branch. */
function commitBeside(place: Place, files: Readonly<Record<string, string>>): void {
  place.git("switch", "--quiet", "--detach", "nebula/demo");
  write(place.repo, files);
  place.git("add", "-A");
  place.git("commit", "-q", "-m", "Mine");
  place.git("update-ref", "refs/heads/nebula/demo", "HEAD");
  place.git("switch", "--quiet", "main");
}

test("an approval is spent where the merge makes another change of it, and the question says which files", async () => {
  const place = aPlace(
    { "shared.txt": "1\n2\n3\n4\n5\n" },
    { "nebula.toml": GATED, "a.md": phase("a") },
  );
  await place.apply({
    "Phase a": (tree) =>
      write(tree, { "a.txt": "a\n", "new.txt": "new\n", "shared.txt": "1\n2\n3\n4\nfive\n" }),
  });
  const { candidate } = newest(place).phases[0] ?? {};
  expect(answer(place, "approve")).toEqual({ kind: "done" });
  // The same file is there now, and another one is different around what the phase changes.
  commitBeside(place, { "a.txt": "a\n", "shared.txt": "one\n2\n3\n4\n5\n" });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("waiting");
  const [spent] = state.phases;
  expect(spent).toMatchObject({
    reason: "its approval was for another change: 2 files differ since (a.txt, shared.txt)",
    approved: "",
    approvedCandidate: candidate,
  });
  // Nothing but the nebula's own ref names it any more.
  place.git("reflog", "expire", "--expire=now", "--all");
  place.git("gc", "--quiet", "--prune=now");
  expect(place.git("cat-file", "-t", spent?.approvedCandidate ?? "")).toBe("commit");
  expect(answer(place, "approve")).toEqual({ kind: "done" });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});

test("what a rework has made is compared with what was approved before, until a person rejects it", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  await place.apply(WRITES_BOTH);
  answer(place, "approve");
  commitBeside(place, { "a.txt": "mine\n" });
  const { state } = await place.apply({
    "Phase a": (tree) => write(tree, { "a.txt": "both\n" }),
  });
  expect(state.phases[0]).toMatchObject({
    attempt: 2,
    reason: "its approval was for another change: 1 file differs since (a.txt)",
  });
  answer(place, "reject", "a", { reason: "not like this" });
  const again = await place.apply({ "Phase a": (tree) => write(tree, { "a.txt": "better\n" }) });
  expect(again.state.phases[0]?.reason).toBe("its change is to be approved before it lands");
});

test("what differs from an approval is known too where an engine was cut off before it asked again", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  await place.apply(WRITES_BOTH);
  answer(place, "approve");
  commitBeside(place, { "a.txt": "a\n" });
  const stop = new AbortController();
  const onEvent = ({ type }: Told): void => {
    if (type === "candidate_made") stop.abort();
  };
  expect((await place.apply(WRITES_BOTH, { signal: stop.signal, onEvent })).reason).toBe(
    "interrupted",
  );
  place.git("reflog", "expire", "--expire=now", "--all");
  place.git("gc", "--quiet", "--prune=now");
  const { state } = await place.apply(WRITES_BOTH);
  expect(state.phases[0]?.reason).toBe(
    "its approval was for another change: 1 file differs since (a.txt)",
  );
});

test("a rejected change goes back to its agents with the reason, or fails for good", async () => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  answer(place, "reject", "a", { reason: "not like this" });
  const seen: string[] = [];
  const again: Work = {
    ...WRITES_BOTH,
    "Phase a": (tree, { prompt }) => {
      seen.push(prompt);
      write(tree, { "a.txt": "better\n" });
    },
  };
  const { state } = await place.apply(again);
  expect(seen).toHaveLength(1);
  expect(seen[0]).toContain("[person] not like this");
  expect(state.phases[0]).toMatchObject({ status: "awaiting_human", attempt: 2 });
  answer(place, "reject", "a", { isFinal: true, reason: "never" });
  const { reason, state: ended } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("failed");
  expect(ended.phases.map(({ status }) => status)).toEqual(["failed", "skipped"]);
});

test.for<
  readonly [what: string, verb: "approve" | "reject" | "skip", more: object, message: string]
>([
  ["a rejection without a reason", "reject", { reason: " " }, "says what is wrong"],
  ["a rejection of over 16,384 characters", "reject", { reason: "x".repeat(16_385) }, "16384"],
  ["any other reason of such a length", "skip", { reason: "x".repeat(70_000) }, "this one 70000"],
])("%s is refused before anything is written", async ([, verb, more, message]) => {
  const place = aPlace({}, FILES);
  await place.apply(WRITES_BOTH);
  const before = newest(place);
  expect(() => answer(place, verb, "a", more)).toThrow(
    expect.objectContaining({
      code: "ERR_USAGE",
      message: expect.stringContaining(message) as string,
    }),
  );
  expect(newest(place)).toEqual(before);
});

test("the longest reason there may be reaches an engine, whatever its characters are", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a"), "b.md": phase("b") });
  const reason = "\u0001".repeat(16_384);
  const taken: unknown[] = [];
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": async (tree) => {
      await place.after("phase_waits", "a");
      taken.push(answer(place, "skip", "a", { reason }));
      await place.after("decision", "a");
      write(tree, { "b.txt": "b\n" });
    },
  };
  const { state } = await place.apply(work);
  expect(taken).toEqual([{ kind: "left" }]);
  expect(state.phases[0]).toMatchObject({ status: "skipped" });
  expect(newest(place).phases[0]?.reason).toContain("\u0001\u0001");
});

const ALONE = { "nebula.toml": GATED, "a.md": phase("a") };

test("an approval is taken back before it lands, and its agents get the reason", async () => {
  const place = aPlace({}, ALONE);
  await place.apply(WRITES_BOTH);
  answer(place, "approve");
  expect(answer(place, "reject", "a", { reason: "after all not" })).toEqual({ kind: "done" });
  const { state } = await place.apply(WRITES_BOTH);
  expect(place.landings()).toEqual([]);
  expect(state.phases[0]).toMatchObject({ status: "awaiting_human", attempt: 2 });
});

/** Has `verify` of a phase that a person has approved wait until {@link Slow.release} is called. */
async function verifyingSlowly(place: Place): Promise<{ readonly release: () => void }> {
  const gate = join(place.root, "go");
  const verify = `test ! -e a.txt || while ! test -e ${gate}; do sleep 0.1; done`;
  write(place.dir, { "nebula.toml": `${GATED}verify = [${JSON.stringify(verify)}]\n` });
  write(place.root, { go: "" });
  await place.apply(WRITES_BOTH);
  rmSync(gate);
  rmSync(join(commonDir(place), "quasar/nebulae", newest(place).id, "receipts"), {
    recursive: true,
  });
  answer(place, "approve");
  return { release: () => write(place.root, { go: "" }) };
}

test("an approval is taken back while its landing is verified, also by the last of two words", async () => {
  const place = aPlace({}, ALONE);
  const { release } = await verifyingSlowly(place);
  const began = place.told.length;
  const working = place.apply({});
  await vi.waitFor(() => {
    expect(place.told.slice(began).map(({ type }) => type)).toContain("candidate_made");
  }, 20_000);
  expect(answer(place, "reject", "a", { reason: "too early" })).toEqual({ kind: "left" });
  expect(answer(place, "reject", "a", { reason: "keep the flag" })).toEqual({ kind: "left" });
  await sleep(1500);
  expect(newest(place).phases[0]).toMatchObject({ status: "landing", attempt: 1 });
  release();
  await working;
  expect(place.landings()).toEqual([]);
  expect(newest(place).phases[0]).toMatchObject({
    attempt: 2,
    findings: ["[person] keep the flag"],
  });
});

test("what was cut off while it landed is rejected, or has landed, as the next engine finds", async () => {
  const place = aPlace({}, ALONE);
  const cutOff = async (): Promise<void> => {
    const stop = new AbortController();
    const onEvent = ({ type }: Told): void => {
      if (type === "candidate_made") stop.abort();
    };
    answer(place, "approve");
    await place.apply(WRITES_BOTH, { signal: stop.signal, onEvent });
    expect(newest(place).phases[0]?.status).toBe("landing");
  };
  await place.apply(WRITES_BOTH);
  await cutOff();
  expect(answer(place, "reject", "a", { reason: "not yet" })).toEqual({ kind: "kept" });
  await place.apply({ "Phase a": (tree) => write(tree, { "a.txt": "better\n" }) });
  expect(place.landings()).toEqual([]);
  expect(newest(place).phases[0]).toMatchObject({ status: "awaiting_human", attempt: 2 });

  await cutOff();
  expect(answer(place, "reject", "a", { reason: "not yet" })).toEqual({ kind: "kept" });
  // As where it died between the move of the branch and the record of it.
  place.git("update-ref", "refs/heads/nebula/demo", newest(place).phases[0]?.candidate ?? "");
  expect((await place.apply({})).reason).toBe("done");
  const refused = { phase: "a", message: "reject was not carried out: it has landed" };
  expect(place.told).toContainEqual({ type: "warning", ...refused });
  // For the person who was not at its screen.
  const kept = nebulaEvents(commonDir(place), newest(place).id);
  expect(kept).toContainEqual(expect.objectContaining(refused));
  expect(place.landings()).toHaveLength(1);
});

test("what has no meaning is refused to the person who says it, also while an engine works", async () => {
  const place = aPlace({}, { ...ALONE, "b.md": phase("b") });
  const said: unknown[] = [];
  const work: Work = {
    ...WRITES_BOTH,
    "Phase b": (tree) => {
      said.push(answer(place, "approve", "b"), answer(place, "skip", "b"));
      write(tree, { "b.txt": "b\n" });
    },
  };
  await place.apply(work);
  expect(said).toEqual([
    { kind: "refused", why: "nobody is asked whether it lands" },
    {
      kind: "refused",
      why: "its run has not ended: only what has not begun, failed or waits for you can be skipped",
    },
  ]);
  expect(warnings(place)).toEqual([]);
});

test("what failed is tried again, with what waited for it; what is skipped is left out", async () => {
  const files = { ...FILES, "nebula.toml": MANIFEST, "c.md": phase("c") };
  const place = aPlace({}, files);
  const broken: Work = {
    "Phase a": () => {
      throw new Error("broken");
    },
    "Phase c": (tree) => write(tree, { "c.txt": "c\n" }),
  };
  expect((await place.apply(broken)).reason).toBe("failed");
  expect(answer(place, "retry")).toEqual({ kind: "done" });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("done");
  expect(state.phases.map(({ status }) => status)).toEqual(["done", "done", "done"]);
});

test("with the gates watch and trust a change lands without a question, whatever the nebula's gate is", async () => {
  const files = {
    "nebula.toml": GATED,
    "a.md": phase("a", 'gate = "watch"'),
    "b.md": phase("b", 'gate = "trust"'),
  };
  const place = aPlace({}, files);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  const watched = { ...IN_ORDER, "nebula.toml": GATED.replace("review", "watch") };
  const all = aPlace({}, watched);
  expect((await all.apply(WRITES_BOTH)).reason).toBe("done");
  expect(all.told.filter(({ type }) => type === "plan_waits")).toEqual([]);
});
