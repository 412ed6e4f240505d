import { execFileSync } from "node:child_process";
import { join } from "node:path";
import type { AgentInvoker } from "@quasar/agents";
import { expect, test, vi } from "vitest";
import type { Told } from "../src/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import { stopEngine } from "../src/people/stop.ts";
import { LimitFiles } from "../src/state/limit-files.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  IN_ORDER,
  MANIFEST,
  newest,
  phase,
  write,
  WRITES_BOTH,
} from "./place.ts";

const BOTH = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };

const NO_WORK = { maxWorkers: 0, totalUsd: 0, phaseUsd: 0 };

const looks = vi.hoisted(() => ({ before: async (): Promise<void> => {} }));

vi.mock("../src/engine/settings.ts", () => ({
  settingsObstacle: async () => {
    await looks.before();
    return undefined;
  },
}));

test("a phase that its budget holds does not keep others from trying an agent", async () => {
  const place = aPlace(
    {},
    {
      ...BOTH,
      "a.md": phase("a", "max_budget_usd = 100"),
      "b.md": phase("b", "max_budget_usd = 1"),
    },
  );
  const stateFolder = join(place.root, "state", "quasar");
  new LimitFiles(stateFolder).set("coder", { until: Date.now() - 1000, tries: 1 });
  const limits = { maxWorkers: 2, totalUsd: 2, phaseUsd: 5 };
  const { reason, state } = await place.apply(WRITES_BOTH, { limits, stateFolder });
  expect(reason).toBe("budget");
  expect(state.phases.map(({ status }) => status)).toEqual(["pending", "done"]);
});

test("what needs a phase that fails while the engine looks around is skipped by that engine", async () => {
  const place = aPlace({}, IN_ORDER);
  let isAtWork = false;
  let isLast = false;
  looks.before = async () => {
    if (!isAtWork || isLast) return;
    isLast = true;
    const hasFailed = () => place.told.some(({ type }) => type === "phase_failed");
    await vi.waitFor(() => expect(hasFailed()).toBe(true), 20_000);
    await new Promise((resolve) => setTimeout(resolve, 50));
  };
  const fails = async (): Promise<void> => {
    isAtWork = true;
    await vi.waitFor(() => expect(isLast).toBe(true), 20_000);
    throw new Error("no");
  };
  const { reason, state } = await place.apply({ "Phase a": fails });
  looks.before = async () => {};
  expect(reason).toBe("failed");
  expect(state.phases.map(({ status }) => status)).toEqual(["failed", "skipped"]);
});

test("a stop at once is heard while an engine that has failed waits for its turns", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const agents = agentsOf(WRITES_BOTH);
  const ends = new Set<string>();
  looks.before = async () => {
    if (ends.has("begun")) throw new Error("broken");
  };
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    const invoke: AgentInvoker["invoke"] = async (request, options) => {
      ends.add("begun");
      await new Promise((resolve) => options?.signal?.addEventListener("abort", resolve));
      ends.add("cut off");
      return coder.invoke(request, options);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  const ended = place.apply(WRITES_BOTH, { optionsOf }).catch((error: unknown) => error);
  const isStopping = () => place.told.some(({ type }) => type === "engine_stops");
  await vi.waitFor(() => expect(isStopping()).toBe(true), 20_000);
  stopEngine(commonDir(place), newest(place), { isNow: true });
  expect(await ended).toMatchObject({ message: "broken" });
  looks.before = async () => {};
  expect(ends).toContain("cut off");
});

test("no engine begins while a worker of one that has failed is alive, whatever fails beside", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const agents = agentsOf(WRITES_BOTH);
  const ends: string[] = [];
  let second: unknown;
  const failed = Promise.withResolvers<void>();
  looks.before = async () => {
    if (ends.includes("begun")) throw new Error("broken");
  };
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    const invoke: AgentInvoker["invoke"] = async (request, options) => {
      ends.push("begun");
      const cutOff = new Promise((resolve) => options?.signal?.addEventListener("abort", resolve));
      await Promise.race([cutOff, failed.promise]);
      looks.before = async () => {};
      second = await place.apply({}, { limits: NO_WORK }).catch((error: unknown) => error);
      ends.push("ended");
      return coder.invoke(request, options);
    };
    return { coder: { ...coder, invoke }, reviewer };
  };
  const onEvent = ({ type }: Told): void => {
    if (type === "engine_stops") throw new Error("the disk is full");
  };
  const error = await place
    .apply(WRITES_BOTH, { optionsOf, onEvent })
    .catch((thrown: unknown) => thrown);
  failed.resolve();
  await vi.waitFor(() => expect(ends).toContain("ended"), 20_000);
  looks.before = async () => {};
  expect(second).toMatchObject({ code: "ERR_LOCKED" });
  expect(error).toMatchObject({ message: "broken" });
});

test("a phase whose work tree cannot be set up anew fails by itself", async () => {
  const place = aPlace({}, BOTH);
  const mark = join(place.root, "was-set-up");
  const setup = `test ! -e ${mark} && touch ${mark}`;
  write(place.dir, { "a.md": phase("a", `setup = [${JSON.stringify(setup)}]`) });
  const leaves = (tree: string): void => {
    execFileSync("git", ["init", "-q", join(tree, "nested")]);
    throw new Error("no");
  };
  await place.apply({ "Phase a": leaves });
  answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a" });
  const { reason, state } = await place.apply(WRITES_BOTH);
  expect(reason).toBe("failed");
  expect(state.phases.map(({ status }) => status)).toEqual(["failed", "done"]);
  expect(state.phases[0]?.reason).toContain("was-set-up");
});
