import type { Scene } from "@quasar/nebula/testing";
import { expect, test } from "vitest";
import { fleetPlace } from "./fleet-place.ts";
import { quasar } from "./harness.ts";
import { keepKey, memoryFleet, sceneAt } from "./memory-fleet.ts";

/** A server, and a user who has its key. */
async function aFleet() {
  const { key, ingress, port } = await memoryFleet();
  const at = fleetPlace();
  keepKey(at, key);
  const sceneOf = (createdAt: string): Scene => sceneAt(port, (state) => ({ ...state, createdAt }));
  return {
    sceneOf,
    url: ingress.url,
    /** A nebula, begun at a time, that has ended or not. */
    async nebula(createdAt: string, isEnded: boolean): Promise<string> {
      const scene = sceneOf(createdAt);
      const lane = await scene.begun();
      const done = { status: "done" } as const;
      if (isEnded) await scene.save(lane, { phases: { a: done, b: done, c: done } });
      return scene.id;
    },
    /** What a command of the fleet prints. */
    async shows(...args: readonly string[]): Promise<string> {
      return (await quasar(at, [...args, "--fleet", ingress.url])).stdout;
    },
    /** What `--json` prints last of a command of the fleet. */
    async says(...args: readonly string[]): Promise<Readonly<Record<string, unknown>>> {
      const { stdout } = await quasar(at, [...args, "--fleet", ingress.url, "--json"]);
      const last = stdout.trimEnd().split("\n").at(-1) ?? "";
      return last === "" ? {} : (JSON.parse(last) as Readonly<Record<string, unknown>>);
    },
  };
}

test("what shows a nebula shows the newest one where all have ended, and what changes one refuses", async () => {
  const fleet = await aFleet();
  const newest = await fleet.nebula("2026-11-22T10:00:00.000Z", true);
  await fleet.nebula("2026-11-21T10:00:00.000Z", true);
  for (const named of [[], ["demo"]]) {
    expect(await fleet.says("nebula", "status", ...named)).toMatchObject({ nebulaId: newest });
    // Its depot is none: the error is git's.
    expect(await fleet.says("nebula", "fetch", ...named)).not.toMatchObject({
      message: expect.stringMatching(/no .*nebula|several/u) as string,
    });
    expect(await fleet.says("nebula", "log", ...named)).toEqual({});
  }
  for (const change of [["pause"], ["approve", "a"]]) {
    expect(await fleet.says("nebula", ...change)).toMatchObject({
      ...{ type: "error", code: "ERR_NOT_FOUND", message: "the fleet has no unfinished nebula" },
    });
  }
});

test("one that is unfinished comes before newer ones that have ended; of several one has to be named", async () => {
  const fleet = await aFleet();
  const open = await fleet.nebula("2026-11-20T10:00:00.000Z", false);
  await fleet.nebula("2026-11-22T10:00:00.000Z", true);
  expect(await fleet.says("nebula", "status")).toMatchObject({ nebulaId: open });
  await fleet.nebula("2026-11-21T10:00:00.000Z", false);
  expect(await fleet.says("nebula", "status")).toMatchObject({
    ...{ type: "error", code: "ERR_USAGE", message: "several nebulae of the fleet may be meant" },
  });
});

test("a fleet that no nebula was given to has none to show", async () => {
  const fleet = await aFleet();
  expect(await fleet.says("nebula", "status")).toMatchObject({
    message: "the fleet has no nebula",
  });
});

const AT = "2026-11-20T10:00:00.000Z";

test("a question is answered from anywhere, by the command that the log prints", async () => {
  const fleet = await aFleet();
  const scene = fleet.sceneOf(AT);
  const lane = await scene.begun();
  const id = "q-01234567";
  const asked = { id, phase: "a", cycle: 1, detail: "", options: [], summary: "Which port?" };
  await scene.save(lane, {
    phases: { a: { status: "running", questions: [id] } },
    events: [{ type: "question_asked", role: "coder", kind: "blocker", ...asked }],
  });
  expect(await fleet.shows("nebula", "log")).toContain(
    `quasar nebula answer ${id} "your answer" --fleet ${fleet.url}`,
  );
  expect(await fleet.says("nebula", "answer", "q-00000000", "8080")).toMatchObject({
    message: "no agent waits for an answer to q-00000000",
  });
  expect(await fleet.says("nebula", "answer", id, "8080")).toMatchObject({
    ...{ nebulaId: scene.id, decision: "answer", questionId: id, phaseId: "a" },
  });
  expect(await scene.inbox()).toMatchObject([
    { id: `question/${id}`, value: { text: "8080", agent: "" } },
  ]);
  expect(await fleet.says("nebula", "answer", id, "80")).toMatchObject({ code: "ERR_STATE" });
});

test("a phase that failed begins again where all the rest has ended", async () => {
  const fleet = await aFleet();
  const scene = fleet.sceneOf(AT);
  const lane = await scene.begun();
  const done = { status: "done" } as const;
  await scene.save(lane, { phases: { a: { status: "failed" }, b: done, c: done } });
  expect(await fleet.says("nebula", "retry", "a")).toMatchObject({ decision: "retry" });
  expect(await scene.inbox()).toMatchObject([{ value: { verb: "retry" } }]);
});
