import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentRequest } from "@quasar/agents";
import { openRepository } from "@quasar/git";
import { initDepot } from "@quasar/git/depot";
import { createKeyManager } from "@quasar/receipts";
import { expect, onTestFinished, test } from "vitest";
import { stateOf, submitNebula, type WorkerEvent, workOnFleet } from "@quasar/nebula/fleet";
import { gateId, type NebulaPort, PortError } from "@quasar/nebula/port";
import { loadNebula } from "@quasar/nebula/spec";
import type { NebulaState } from "@quasar/nebula";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { memoryIngress } from "./memory-ingress.ts";
import {
  agentsOf,
  aPlace,
  IN_ORDER,
  MANIFEST,
  type Place,
  phase,
  type Work,
  write,
} from "./place.ts";

/** A depot, and a server of this process. */
async function aFleet(place: Place) {
  const depot = join(place.root, "depot.git");
  await initDepot(depot);
  const key = randomBytes(32).toString("hex");
  const ingress = await memoryIngress("nebula", key);
  const open = (): FleetPort => createFleetPort({ url: ingress.url, key });
  const port = open();
  onTestFinished(async () => {
    port.close();
    await ingress.close();
  });
  const told: WorkerEvent[] = [];
  const inDepot = (...args: string[]): string =>
    execFileSync("git", args, { cwd: depot, encoding: "utf8" }).trim();
  return {
    ...{ depot, port, told, inDepot },
    async submit() {
      return submitNebula({
        ...{ port, depot, typed: {}, signal: new AbortController().signal },
        repository: await openRepository(place.repo),
        loaded: loadNebula(place.dir),
        base: place.git("rev-parse", "main"),
      });
    },
    /** A worker of a machine, until it is stopped. */
    worker(
      machine: string,
      work: Work,
      { review, ...change }: { readonly port?: NebulaPort; readonly review?: () => string } = {},
    ) {
      const stop = new AbortController();
      const done = workOnFleet({
        ...{ port, depots: [depot], machine, most: 2, ttlMs: 3000, graceMs: 1000 },
        limitsOf: () => ({ maxWorkers: 2, totalUsd: 0, phaseUsd: 5 }),
        optionsOf: agentsOf(work, review),
        keys: createKeyManager({ dir: join(place.root, machine, "keys") }),
        env: {},
        commandEnv: process.env,
        stateFolder: join(place.root, machine, "state", "quasar"),
        tell: (event) => void told.push(event),
        signal: stop.signal,
        ...change,
      });
      onTestFinished(async () => {
        stop.abort();
        await done;
      });
      return {
        stop: async () => {
          stop.abort();
          await done;
        },
      };
    },
    state: async (id: string): Promise<NebulaState> => stateOf(await port.status(id)),
    async until(id: string, isSo: (state: NebulaState) => boolean): Promise<NebulaState> {
      for (let n = 0; n < 600; n += 1) {
        const state = stateOf(await port.status(id));
        if (isSo(state)) return state;
        await sleep(100);
      }
      throw new Error(JSON.stringify(told.slice(-12), undefined, 1));
    },
  };
}

const isDone = ({ phases }: NebulaState): boolean =>
  phases.every(({ status }) => status === "done");

test("a nebula is worked on over a depot and lands there", { timeout: 120_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  fleet.worker("one", {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  const { phases } = await fleet.until(id, isDone);
  expect(phases.map(({ runs, machines }) => runs.map((run) => machines?.[run]))).toEqual([
    ["one"],
    ["one"],
  ]);
  expect(fleet.inDepot("log", "--first-parent", "--format=%s", "nebula/demo").split("\n")).toEqual([
    "Land b: Phase b",
    "Land a: Phase a",
    "Start",
  ]);
  expect(fleet.inDepot("ls-tree", "--name-only", "nebula/demo").split("\n")).toEqual([
    "a.txt",
    "b.txt",
    "base.txt",
  ]);
  expect(place.git("branch", "--list").trim()).toBe("* main");
  expect(existsSync(join(place.repo, ".git", "quasar", "nebulae"))).toBe(false);
});

/** A port that a network cut separates from its server, as long as it is cut. */
function cuttable(port: NebulaPort): { readonly port: NebulaPort; cut: boolean } {
  const link = { cut: false };
  const through = new Proxy(port, {
    get(target, name: keyof NebulaPort) {
      const call = target[name] as (...args: unknown[]) => unknown;
      return (...args: unknown[]) => {
        if (link.cut) return Promise.reject(new PortError("ERR_UNREACHABLE", "cut"));
        return call.apply(target, args);
      };
    },
  });
  return Object.defineProperty({ port: through, cut: false }, "cut", {
    get: () => link.cut,
    set(isCut: boolean) {
      link.cut = isCut;
    },
  });
}

const landings = (text: string): readonly string[] =>
  text.split("\n").filter((line) => line.startsWith("Land "));

test("a machine that is cut off loses its phase and the lane", { timeout: 180_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const link = cuttable(fleet.port);
  const turns: string[] = [];
  const worked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const one = fleet.worker(
    "one",
    {
      "Phase a": async () => {
        turns.push("one a");
        worked.resolve();
        await ended.promise;
        throw new Error("ended");
      },
      "Phase b": (tree) => {
        turns.push("one b");
        write(tree, { "b.txt": "b\n" });
      },
    },
    { port: link.port },
  );
  await worked.promise;
  link.cut = true;
  const cutAt = performance.now();
  fleet.worker("two", {
    "Phase a": (tree) => {
      turns.push("two a");
      write(tree, { "a.txt": "a\n" });
    },
    "Phase b": (tree) => {
      turns.push("two b");
      write(tree, { "b.txt": "b\n" });
    },
  });
  await fleet.until(id, ({ phases }) =>
    phases.some(({ id: of, landing }) => of === "a" && landing > 0),
  );
  expect(performance.now() - cutAt).toBeLessThan(30_000);
  link.cut = false;
  ended.resolve();
  await fleet.until(id, isDone);
  await one.stop();
  expect(turns).toEqual(["one a", "two a", expect.stringMatching(/^\w+ b$/u)]);
  const log = fleet.inDepot("log", "--first-parent", "--format=%s", "nebula/demo");
  expect(landings(log)).toEqual(["Land b: Phase b", "Land a: Phase a"]);
});

test("of a depot that is not named nothing is fetched or run", async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const before = await fleet.port.status(id);
  const stop = new AbortController();
  const done = workOnFleet({
    ...{ port: fleet.port, depots: ["/another/depot.git"], machine: "one", most: 2 },
    ...{ ttlMs: 3000, graceMs: 1000, env: {}, commandEnv: {}, tell: () => {}, signal: stop.signal },
    limitsOf: () => ({ maxWorkers: 2, totalUsd: 0, phaseUsd: 5 }),
    optionsOf: () => {
      throw new Error("it is to run nothing");
    },
    keys: createKeyManager({ dir: join(place.root, "one", "keys") }),
    stateFolder: join(place.root, "one", "state", "quasar"),
  });
  await sleep(2500);
  stop.abort();
  await done;
  expect(await fleet.port.status(id)).toEqual(before);
  expect(existsSync(join(place.root, "one"))).toBe(false);
});

test("what conflicts is worked on again, what waits for a person lands once approved", {
  timeout: 180_000,
}, async () => {
  const files = {
    "nebula.toml": `${MANIFEST}[execution]\ngate = "review"\n`,
    "a.md": phase("a"),
    "b.md": phase("b"),
  };
  const place = aPlace({ "base.txt": "base\n" }, files);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const textOf = ({ prompt }: AgentRequest, own: string): string =>
    prompt.includes("REWORK:") ? "of both\n" : own;
  const work: Work = {
    "Phase a": (tree, request) => write(tree, { "base.txt": textOf(request, "of a\n") }),
    "Phase b": (tree, request) => write(tree, { "base.txt": textOf(request, "of b\n") }),
  };
  fleet.worker("one", work);
  fleet.worker("two", work);
  const isAsked = ({ phases }: NebulaState): boolean =>
    phases.some(({ status, question }) => status === "awaiting_human" && question === "land");
  for (;;) {
    const { phases } = await fleet.until(id, (state) => isAsked(state) || isDone(state));
    const asked = phases.find(({ status }) => status === "awaiting_human");
    if (asked === undefined) break;
    const reply = { verb: "approve", reason: "", isFinal: false } as const;
    expect(await fleet.port.resolve(id, gateId(asked), reply)).toEqual({ as: "resolved" });
    await fleet.until(id, (state) =>
      state.phases.every((each) => each.id !== asked.id || each.status !== "awaiting_human"),
    );
  }
  const { phases } = await fleet.until(id, isDone);
  expect(phases.map(({ attempt }) => attempt).toSorted((one, other) => one - other)).toEqual([
    1, 2,
  ]);
  expect(fleet.inDepot("show", "nebula/demo:base.txt")).toBe("of both");
  const { value } = await fleet.port.watch(id, 0, new AbortController().signal).next();
  const messages = value?.events.map((event) => ("message" in event ? event.message : ""));
  expect(messages?.filter((message) => message.includes("not carried out"))).toEqual([]);
});

test("a stop ends all after their turns, until it is continued", { timeout: 120_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const begun = Promise.withResolvers<void>();
  const mayEnd = Promise.withResolvers<void>();
  const turns: string[] = [];
  fleet.worker("one", {
    "Phase a": async (tree) => {
      turns.push("a");
      begun.resolve();
      await mayEnd.promise;
      write(tree, { "a.txt": "a\n" });
    },
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  await begun.promise;
  await fleet.port.signal(id, "stop");
  await sleep(1500);
  mayEnd.resolve();
  for (let n = 0; n < 200 && (await fleet.port.status(id)).holders.length > 0; n += 1)
    await sleep(100);
  const stopped = await fleet.port.status(id);
  expect(stopped.holders).toEqual([]);
  expect(await fleet.state(id)).toMatchObject({
    phases: [{ status: "running" }, { status: "pending" }],
  });
  await fleet.port.signal(id, "continue");
  await fleet.until(id, isDone);
  expect(turns).toEqual(["a"]);
});

test("a run that comes back to a machine continues from where another one left it", {
  timeout: 180_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const turns: string[] = [];
  /** Its coder waits in its last turn until the machine is gone. */
  const aMachine = (machine: string, most: number) => {
    const begun = Promise.withResolvers<void>();
    const ended = Promise.withResolvers<void>();
    const work: Work = {
      "Phase a": async (tree) => {
        turns.push(machine);
        write(tree, { [`${machine}.txt`]: `${turns.length}\n` });
        if (turns.filter((each) => each === machine).length < most) return;
        begun.resolve();
        await ended.promise;
      },
    };
    return { begun: begun.promise, end: ended.resolve, link: cuttable(fleet.port), work };
  };
  const [one, two] = [aMachine("one", 1), aMachine("two", 2)];
  const reviews = ["ISSUE:\nSEVERITY: major\nDESCRIPTION: more of it"];
  const review = (): string => reviews.shift() ?? "APPROVED: it is there";
  const first = fleet.worker("one", one.work, { port: one.link.port, review });
  await one.begun;
  one.link.cut = true;
  const second = fleet.worker("two", two.work, { port: two.link.port, review });
  // It has committed what its first turn has written.
  await two.begun;
  await sleep(2500);
  two.link.cut = true;
  one.link.cut = false;
  one.end();
  await fleet.until(id, isDone);
  two.link.cut = false;
  two.end();
  await first.stop();
  await second.stop();
  expect(turns).toEqual(["one", "two", "two", "one"]);
  const files = fleet.inDepot("ls-tree", "--name-only", "nebula/demo").split("\n");
  expect(files).toEqual(["base.txt", "one.txt", "two.txt"]);
});

test("a run that was taken over keeps its commits through a pause", {
  timeout: 180_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const link = cuttable(fleet.port);
  const turns: string[] = [];
  const begun = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<void>();
  const paused = Promise.withResolvers<void>();
  const one: Work = {
    "Phase a": async () => {
      turns.push("one");
      begun.resolve();
      await ended.promise;
    },
  };
  const two: Work = {
    "Phase a": async (tree) => {
      turns.push("two");
      write(tree, { "a.txt": "a\n" });
      await fleet.port.signal(id, "pause");
      // Until the worker has heard of it.
      await sleep(2500);
      paused.resolve();
    },
  };
  const first = fleet.worker("one", one, { port: link.port });
  await begun.promise;
  link.cut = true;
  fleet.worker("two", two);
  await paused.promise;
  await sleep(3000);
  await fleet.port.signal(id, "continue");
  await fleet.until(id, isDone);
  link.cut = false;
  ended.resolve();
  await first.stop();
  expect(turns).toEqual(["one", "two"]);
  expect(fleet.inDepot("show", "nebula/demo:a.txt")).toBe("a");
});

test("the depot has what a turn has done, and that the next one begins, before its agent is started", async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  /** What the depot has when the reviewer begins. */
  const seen: string[] = [];
  const review = (): string => {
    const refs = fleet.inDepot("for-each-ref", "--format=%(refname)").split("\n");
    const [tip = "HEAD"] = refs.filter((ref) => ref.endsWith("/tip"));
    const [run = "HEAD"] = refs.filter((ref) => ref.endsWith("/run"));
    const checkpoint = fleet.inDepot("show", `${run}:checkpoint.toml`);
    const turn = checkpoint.match(/^turn\.(?:role|status) = .*$/gmu);
    seen.push(fleet.inDepot("ls-tree", "--name-only", tip), ...(turn ?? []));
    return "APPROVED: it is there";
  };
  fleet.worker("one", { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) }, { review });
  await fleet.until(id, isDone);
  expect(seen).toEqual(["a.txt\nbase.txt", "turn.role = 'reviewer'", "turn.status = 'started'"]);
});
