import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentInvoker, type AgentRequest, createAgent } from "@quasar/agents";
import { openRepository } from "@quasar/git";
import { initDepot } from "@quasar/git/depot";
import { createKeyManager } from "@quasar/receipts";
import { expect, onTestFinished, test } from "vitest";
import {
  depotNames,
  stateOf,
  submitNebula,
  type WorkerEvent,
  workOnFleet,
} from "@quasar/nebula/fleet";
import { gateId, LANE, type NebulaPort, PortError, type PromiseId } from "@quasar/nebula/port";
import { loadNebula } from "@quasar/nebula/spec";
import type { NebulaState } from "@quasar/nebula";
import { createFleetPort, type FleetPort } from "../src/index.ts";
import { memoryIngress } from "./memory-ingress.ts";
import {
  agent,
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
    async submit(branch?: string) {
      return submitNebula({
        ...{ port, depot, branch, typed: {}, signal: new AbortController().signal },
        repository: await openRepository(place.repo),
        loaded: loadNebula(place.dir),
        base: place.git("rev-parse", "main"),
      });
    },
    /** A worker of a machine, until it is stopped. */
    worker(
      machine: string,
      work: Work,
      {
        reviewer,
        ...change
      }: { readonly port?: NebulaPort; readonly reviewer?: AgentInvoker | undefined } = {},
    ) {
      const stop = new AbortController();
      const done = workOnFleet({
        ...{ port, depots: [depot], machine, most: 2, ttlMs: 3000, graceMs: 1000 },
        limitsOf: () => ({ maxWorkers: 2, totalUsd: 0, phaseUsd: 5 }),
        optionsOf: agentsOf(work, reviewer),
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
  await fleet.until(id, isDone);
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

test("a nebula lands on the branch that git begins repositories with", {
  timeout: 120_000,
}, async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
  const place = aPlace({ "base.txt": "base\n" }, files);
  execFileSync("git", ["config", "--global", "init.defaultBranch", "trunk"]);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit("trunk");
  fleet.worker("one", { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) });
  await fleet.until(id, isDone);
  expect(fleet.inDepot("show", "trunk:a.txt")).toBe("a");
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

const SIDE_BY_SIDE = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };

/** Two phases, of which the second works until it may end. */
function oneLong(): { readonly work: Work; readonly end: () => void } {
  const mayEnd = Promise.withResolvers<void>();
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": async (tree) => {
      await mayEnd.promise;
      write(tree, { "b.txt": "b\n" });
    },
  };
  return { work, end: mayEnd.resolve };
}

const hasLanded =
  (phaseId: string) =>
  ({ phases }: NebulaState): boolean =>
    phases.some(({ id, landing }) => id === phaseId && landing > 0);

test("a landing waits for a server that is out of reach, and the conductor stays", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  let cuts = 2;
  const port: NebulaPort = {
    ...fleet.port,
    async fence(held) {
      if (cuts > 0) {
        cuts -= 1;
        throw new PortError("ERR_UNREACHABLE", "cut");
      }
      return fleet.port.fence(held);
    },
  };
  fleet.worker("one", work, { port });
  await fleet.until(id, hasLanded("a"));
  expect(cuts).toBe(0);
  const { holders } = await fleet.port.status(id);
  expect(holders.find((each) => each.work === LANE)?.epoch.n).toBe(1);
  end();
  await fleet.until(id, isDone);
});

test("a conductor that fails gives the lane back while runs are worked on", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  let hasFailed = false;
  const port: NebulaPort = {
    ...fleet.port,
    async fence(held) {
      if (hasFailed) return fleet.port.fence(held);
      hasFailed = true;
      throw new PortError("ERR_PROTOCOL", "not to be repaired");
    },
  };
  fleet.worker("one", work, { port });
  const { phases } = await fleet.until(id, hasLanded("a"));
  expect(phases).toMatchObject([{ id: "a" }, { id: "b", status: "running" }]);
  expect(hasFailed).toBe(true);
  end();
  await fleet.until(id, isDone);
});

test("once a usage limit is lifted phases are worked on side by side again", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { ...SIDE_BY_SIDE, "c.md": phase("c") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const both = Promise.withResolvers<void>();
  let [liftedAt, reviews] = [0, 0];
  const answers = agent("reviewer", async () => {
    reviews += 1;
    if (reviews === 3) both.resolve();
    // The first one tries whether the limit is lifted.
    if (reviews > 1) await both.promise;
    return "APPROVED: it is there";
  });
  const reviewer: AgentInvoker = {
    ...answers,
    async invoke(request) {
      liftedAt ||= Date.now() + 10_000;
      if (Date.now() >= liftedAt) return answers.invoke(request);
      const retryAt = new Date(liftedAt).toISOString();
      return {
        ...{ text: "", costUsd: 0, costSource: "reported", durationMs: 1 },
        failure: { kind: "rate-limit", message: "limit reached", retryable: false, retryAt },
      };
    },
  };
  const work = Object.fromEntries(
    ["a", "b", "c"].map((name) => [
      `Phase ${name}`,
      (tree: string) => write(tree, { [`${name}.txt`]: name }),
    ]),
  );
  const onlyOf = (isLane: boolean): NebulaPort => ({
    ...fleet.port,
    lease: async (ask) =>
      (ask.work === LANE) === isLane ? fleet.port.lease(ask) : Promise.resolve(undefined),
  });
  fleet.worker("conductor", {}, { port: onlyOf(true) });
  fleet.worker("one", work, { port: onlyOf(false), reviewer });
  await fleet.until(id, isDone);
  expect(reviews).toBe(3);
  // Whether the conductor's own account has a limit, nobody has said.
  expect(existsSync(join(place.root, "conductor", "state", "quasar", "limits"))).toBe(false);
});

test("a run that cannot be fetched fails its phase, and is in nobody's way", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, SIDE_BY_SIDE);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const { work, end } = oneLong();
  /** Has the copy of a run be one that nobody takes: it has a link. */
  const spoil = (ref: string, input: string): void => {
    const made = (args: readonly string[], text = ""): string =>
      execFileSync("git", args, { cwd: fleet.depot, input: text, encoding: "utf8" }).trim();
    const blob = made(["hash-object", "-w", "--stdin"], input);
    const tree = made(["mktree"], `120000 blob ${blob}\tlink\n`);
    fleet.inDepot("update-ref", ref, made(["commit-tree", "-m", "Run", tree]));
  };
  const port: NebulaPort = {
    ...fleet.port,
    async record(held, entry) {
      const { offers } = await fleet.port.status(id);
      const offer = offers.find((each) => each.work === held.work);
      if (entry.as === "result" && offer !== undefined && held.work.startsWith("p1-")) {
        spoil(depotNames(id).run(held.work, offer.runId, held.epoch), "/etc/passwd");
      }
      return fleet.port.record(held, entry);
    },
  };
  const one = fleet.worker("one", work, { port });
  const isFailed = ({ phases }: NebulaState): boolean => phases[0]?.status === "failed";
  const { phases } = await fleet.until(id, isFailed);
  expect(phases).toMatchObject([
    { id: "a", reason: expect.stringMatching(/^its run cannot be fetched: .*restored/u) },
    { id: "b", status: "running" },
  ]);
  // The conductor that comes next has the same run before it.
  const stopped = one.stop();
  end();
  await stopped;
  fleet.worker("two", work);
  await fleet.until(id, hasLanded("b"));
  expect(fleet.told).toContainEqual(
    expect.objectContaining({
      event: {
        type: "warning",
        message: expect.stringContaining("has cost is not known here"),
      },
    }),
  );
});

test("an answer that is none is taken, and reported", { timeout: 60_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const kinds = ["gate/p1-00000000/1/", "question/q-00000000", "plan/00000000", "other/x"] as const;
  const taken = new Set<string>();
  const port: NebulaPort = {
    ...fleet.port,
    async record(held, entry) {
      const recorded = await fleet.port.record(held, entry);
      if (entry.as === "state") for (const key of entry.taken) taken.add(key);
      return recorded;
    },
    async status(nebula) {
      const status = await fleet.port.status(nebula);
      const left = kinds
        .map((item, at) => ({ key: `${900 + at}`, id: item as PromiseId, value: { verb: 1 } }))
        // The answer to a question stays for as long as it is asked.
        .filter((item) => item.id.startsWith("question/") || !taken.has(item.key));
      return { ...status, inbox: [...status.inbox, ...left] };
    },
  };
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  };
  fleet.worker("one", work, { port });
  await fleet.until(id, isDone);
  expect([...taken].filter((key) => key.startsWith("90"))).toHaveLength(kinds.length);
  const warnings = fleet.told.flatMap((told) =>
    told.type === "of" && told.event.type === "warning" ? [told.event.message] : [],
  );
  for (const item of kinds) {
    expect(warnings.filter((message) => message.includes(item))).toHaveLength(1);
  }
});

test("a run that its worker cannot carry out is left alone for longer and longer, then fails", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  // Where its clone would be.
  write(place.root, { [`one/state/quasar/fleet/${id}/work`]: "a file" });
  const waits: (number | undefined)[] = [];
  const port: NebulaPort = {
    ...fleet.port,
    async release(held, how) {
      if (held.work !== LANE) waits.push(how?.waitMs);
      await fleet.port.release(held);
    },
  };
  fleet.worker("one", {}, { port });
  const { phases } = await fleet.until(id, (state) => state.phases[0]?.status === "failed");
  expect(phases).toMatchObject([{ reason: expect.stringContaining(`fleet/${id}/work`) }]);
  expect(waits).toEqual([10_000, 20_000, 40_000, 80_000, undefined]);
});

test("a worker that cannot read a nebula is in nobody's way", { timeout: 60_000 }, async () => {
  const place = aPlace({ "base.txt": "base\n" }, IN_ORDER);
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const taken: string[] = [];
  const ofLaterVersion = (state: string): string =>
    state.replace(/^version = \d+/mu, "version = 99");
  const port: NebulaPort = {
    ...fleet.port,
    async status(nebula) {
      const status = await fleet.port.status(nebula);
      return { ...status, state: ofLaterVersion(status.state) };
    },
    async lease(ask) {
      const lease = await fleet.port.lease(ask);
      if (lease !== undefined) taken.push(lease.work);
      return lease;
    },
  };
  fleet.worker("old", {}, { port });
  await sleep(6000);
  expect(taken).toEqual([LANE]);
  const isBegun = (state: NebulaState): boolean => state.phases[0]?.status === "running";
  const conductor = fleet.worker(
    "conductor",
    {},
    {
      port: {
        ...fleet.port,
        lease: async (ask) => (ask.work === LANE ? fleet.port.lease(ask) : undefined),
      },
    },
  );
  await fleet.until(id, isBegun);
  await sleep(3000);
  expect(taken).toHaveLength(2);
  await conductor.stop();
  fleet.worker("new", {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  await fleet.until(id, isDone);
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
  const reviewer = agent("reviewer", () => reviews.shift() ?? "APPROVED: it is there");
  const first = fleet.worker("one", one.work, { port: one.link.port, reviewer });
  await one.begun;
  one.link.cut = true;
  const second = fleet.worker("two", two.work, { port: two.link.port, reviewer });
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

test.for(["of this process", "with a supervisor"])(
  "the depot has what a turn has done, and that the next one begins, before its agent is started: one %s",
  async (kind) => {
    const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
    const fleet = await aFleet(place);
    const { id } = await fleet.submit();
    const git = `git --git-dir='${fleet.depot}'`;
    const ref = (end: string): string =>
      `"$(${git} for-each-ref --format='%(refname)' | grep '/${end}$')"`;
    /** What the depot has when the reviewer begins. */
    const seen = join(place.root, "seen");
    const look = `{
      ${git} ls-tree --name-only ${ref("tip")}
      ${git} show ${ref("run")}:checkpoint.toml | grep -E '^turn.(role|status) = '
    } > '${seen}'; echo 'APPROVED: it is there'`;
    const reviewer =
      kind === "with a supervisor"
        ? createAgent({ kind: "command", command: look })
        : agent("reviewer", () => execFileSync("sh", ["-c", look], { encoding: "utf8" }));
    fleet.worker("one", { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) }, { reviewer });
    await fleet.until(id, isDone);
    expect(readFileSync(seen, "utf8").split("\n")).toEqual([
      ...["a.txt", "base.txt", "turn.role = 'reviewer'", "turn.status = 'started'", ""],
    ]);
  },
);
