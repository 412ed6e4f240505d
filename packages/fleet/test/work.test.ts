import { execFileSync, spawn } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { type AgentRequest, createAgent } from "@quasar/agents";
import type { NebulaState } from "@quasar/nebula";
import { workOnFleet } from "@quasar/nebula/fleet";
import { gateId, type NebulaPort } from "@quasar/nebula/port";
import { createKeyManager } from "@quasar/receipts";
import { expect, onTestFinished, test } from "vitest";
import { aFleet, isDone } from "./a-fleet.ts";
import { cuttable } from "./cuttable.ts";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import {
  agent,
  aPlace,
  IN_ORDER,
  MANIFEST,
  phase,
  type Work,
  write,
} from "../../nebula/test/place.ts";

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
  const costs = phases.flatMap((each) => Object.values(each.costs ?? {}));
  expect(costs.map(({ spentUsd }) => spentUsd)).toEqual([0.02, 0.02]);
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

test("a depot that is away is reported once, and nothing is taken until it is back", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const away = `${fleet.depot}.away`;
  renameSync(fleet.depot, away);
  fleet.worker("one", { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) });
  // For longer than a lane is left alone whose conductor has failed.
  await sleep(12_000);
  renameSync(away, fleet.depot);
  await fleet.until(id, isDone);
  const told = fleet.told.filter(({ type }) => type !== "of");
  expect(told.slice(0, 5)).toMatchObject([
    { type: "takes", nebula: id, name: "demo", work: "@lane", phase: "" },
    { type: "away", depot: fleet.depot },
    { type: "leaves", work: "@lane" },
    { type: "back", depot: fleet.depot, awayMs: expect.toSatisfy((ms) => ms > 10_000) as number },
    { type: "takes", work: "@lane" },
  ]);
  expect(told).toContainEqual({
    ...{ type: "takes", nebula: id, name: "demo", phase: "a" },
    work: expect.stringMatching(/^p1-/u) as string,
  });
  expect(told.filter(({ type }) => type === "away" || type === "warning")).toHaveLength(1);
});

test("a server that is away is reported once, and once when it is back", async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const link = cuttable(fleet.port);
  fleet.worker(
    "one",
    {
      "Phase a": async (tree) => {
        link.cut = true;
        // For several questions for work, and less than a lease lasts.
        await sleep(2000);
        write(tree, { "a.txt": "a\n" });
        setTimeout(() => {
          link.cut = false;
        }, 400);
      },
    },
    { port: link.port },
  );
  await fleet.until(id, isDone);
  const told = fleet.told.filter(({ type }) => type !== "of");
  expect(told).toMatchObject([
    { type: "takes", phase: "" },
    { type: "takes", phase: "a" },
    { type: "away", depot: "", message: "cut" },
    { type: "back", depot: "", awayMs: expect.toSatisfy((ms) => ms > 1000) as number },
    ...told.slice(4).map(() => ({ type: "leaves" })),
  ]);
});

test("of a nebula that has ended the server is not asked again and again", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  const first = fleet.worker("one", work);
  await fleet.until(id, isDone);
  await first.stop();
  let asked = 0;
  const counted = new Proxy(fleet.port, {
    get(target, name: keyof NebulaPort) {
      if (name === "status") asked += 1;
      return target[name];
    },
  });
  fleet.worker("one", work, { port: counted });
  await sleep(24_000);
  expect(asked).toBe(1);
});

test("a worker that has lost a run ends its own agents of it, and those of no other worker of the host", {
  timeout: 120_000,
}, async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const leases = join(place.root, "one", "state", "quasar", "fleet", id, "leases");
  const kept = join(place.root, "kept");
  const ended: string[] = [];
  /** What carries the run's id, as an agent does, and works in a tree until it is ended. */
  const anAgent = async (of: string, cwd: string): Promise<void> => {
    const { phases } = await fleet.state(id);
    const env = { ...process.env, QUASAR_RUN_ID: phases[0]?.runId };
    const child = spawn("sleep", ["600"], { cwd, env });
    onTestFinished(() => void child.kill("SIGKILL"));
    child.once("exit", () => ended.push(of));
  };
  /** A worker whose coder works until it is stopped. */
  const atWork = async (machine: string) => {
    const begun = Promise.withResolvers<string>();
    const mayEnd = Promise.withResolvers<void>();
    const worker = fleet.worker(machine, {
      "Phase a": async (tree) => {
        begun.resolve(tree);
        await mayEnd.promise;
        throw new Error("ended");
      },
    });
    onTestFinished(() => mayEnd.resolve());
    const stop = (): Promise<void> => {
      const stopped = worker.stop();
      mayEnd.resolve();
      return stopped;
    };
    return { tree: await begun.promise, stop };
  };
  const { tree, stop } = await atWork("one");
  cpSync(leases, kept, { recursive: true });
  await stop();
  const two = await atWork("two");
  await anAgent("two", two.tree);
  await anAgent("one", tree);
  cpSync(kept, leases, { recursive: true });
  fleet.worker("one", {});
  await expect.poll(() => readdirSync(leases), { timeout: 10_000 }).toEqual([]);
  await expect.poll(() => ended).toEqual(["one"]);
});

test("where nobody says how many, as many phases are worked on as workers take, and one is offered", {
  timeout: 120_000,
}, async () => {
  const ids = ["a", "b", "c", "d", "e"];
  const files = Object.fromEntries(ids.map((id) => [`${id}.md`, phase(id)]));
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": MANIFEST, ...files });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const limitsOf = () => ({ maxWorkers: undefined, totalUsd: 0, phaseUsd: 5 });
  const mayEnd = Promise.withResolvers<void>();
  const begun: string[] = [];
  const turn = async (tree: string, name: string): Promise<void> => {
    begun.push(name);
    await mayEnd.promise;
    write(tree, { [`${name}.txt`]: "done\n" });
  };
  const work: Work = Object.fromEntries(
    ids.map((name) => [`Phase ${name}`, (tree: string) => turn(tree, name)]),
  );
  const inWork = ({ phases }: NebulaState): number =>
    phases.filter(({ status }) => status === "running").length;
  fleet.worker("one", work, { limitsOf, most: 1 });
  onTestFinished(() => mayEnd.resolve());
  await expect.poll(() => begun.length, { timeout: 20_000 }).toBe(1);
  await sleep(4000);
  expect([begun.length, inWork(await fleet.state(id))]).toEqual([1, 2]);
  fleet.worker("two", work, { limitsOf, most: 3 });
  onTestFinished(() => mayEnd.resolve());
  await expect.poll(() => begun.length, { timeout: 30_000 }).toBe(4);
  mayEnd.resolve();
  await fleet.until(id, isDone);
  expect(begun.toSorted()).toEqual(ids);
});
