import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import type { ApplyEnd } from "../src/engine/apply.ts";
import type { Told } from "../src/events.ts";
import { answerPhase } from "../src/people/answer.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
} from "./place.ts";

const verified = (...commands: string[]): string =>
  `${MANIFEST}[execution]\nverify = ${JSON.stringify(commands)}\n`;

const outcomes = ({ told }: Place): readonly string[] =>
  told.flatMap((event) => (event.type === "verification" ? [event.outcome] : []));

const reworks = ({ told }: Place): readonly (readonly string[])[] =>
  told.flatMap((event) => (event.type === "rework" ? [event.findings] : []));

const replace = (file: string, from: RegExp, to: string) => (tree: string) => {
  const path = join(tree, file);
  writeFileSync(path, readFileSync(path, "utf8").replace(from, to));
};

const BOTH: Work = {
  "Phase a": replace("one.txt", /^.*$/su, "by a\n"),
  "Phase b": (tree) => {
    const path = join(tree, "one.txt");
    const text = readFileSync(path, "utf8");
    writeFileSync(path, text.includes("<<<<<<<") ? "by a and b\n" : "by b\n");
  },
};

test("a conflict goes back to its phase with both sides in its tree, and lands what the phase makes of it", async () => {
  const inOrder = `${MANIFEST}[execution]\nmerge_order = "plan"\n`;
  const files = { "nebula.toml": inOrder, "a.md": phase("a"), "b.md": phase("b") };
  const beside = aPlace({ "one.txt": "start\n" }, files);
  const { state: ended } = await beside.apply(BOTH);
  expect(beside.git("show", "nebula/demo:one.txt")).toBe("by a and b");
  expect(reworks(beside)).toEqual([[expect.stringContaining("[merge] one.txt: ")]]);
  expect(ended.phases.map(({ attempt }) => attempt).toSorted((a, b) => a - b)).toEqual([1, 2]);
  expect(beside.landings()).toHaveLength(2);
});

test("of very many conflicts as many are kept and shown to its agents as they can read, and it lands", async () => {
  const inOrder = `${MANIFEST}[execution]\nmerge_order = "plan"\n`;
  const place = aPlace({}, { "nebula.toml": inOrder, "a.md": phase("a"), "b.md": phase("b") });
  const names = Array.from({ length: 300 }, (_, at) => `${at}-${"long".repeat(50)}.txt`);
  const all = (text: string) => Object.fromEntries(names.map((name) => [name, `${text}\n`]));
  const tasks: string[] = [];
  const { reason } = await place.apply({
    "Phase a": (tree) => write(tree, all("a")),
    "Phase b": async (tree, { prompt }) => {
      const isBack = prompt.includes("REWORK:");
      if (isBack) tasks.push(prompt);
      else await place.after("phase_approved", "a");
      write(tree, all(isBack ? "both" : "b"));
    },
  });
  expect(reason).toBe("done");
  const [found = []] = reworks(place);
  expect(found).toHaveLength(101);
  expect(found.at(-1)).toBe("and 200 more");
  expect(tasks[0]?.length).toBeLessThan(60_000);
  expect(tasks[0]).toMatch(/\n- and others\n/u);
  expect(place.landings()).toEqual(["Land a: Phase a", "Land b: Phase b"]);
});

test.for(["", "^{tree}", ":a.txt"])(
  "a phase of whose commit git lacks the object %j waits for a person, and the others land",
  async (what) => {
    const files = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };
    const place = aPlace({}, files);
    const work: Work = {
      "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
      "Phase b": async (tree) => {
        await vi.waitFor(() => expect(isLost).toBe(true), 20_000);
        write(tree, { "b.txt": "b\n" });
      },
    };
    let isLost = false;
    const onEvent = (event: Told): void => {
      if (event.type !== "phase_approved" || event.phase !== "a") return;
      const id = place.git("rev-parse", `${event.tip}${what}`);
      rmSync(join(place.repo, ".git/objects", id.slice(0, 2), id.slice(2)));
      isLost = true;
    };
    const { reason, state } = await place.apply(work, { onEvent });
    expect(reason).toBe("waiting");
    expect(place.landings()).toEqual(["Land b: Phase b"]);
    expect(state.phases[0]).toMatchObject({ status: "awaiting_human", question: "rework" });
    expect(state.phases[0]?.reason).toMatch(/^git lacks an object of it/u);
    answerPhase(commonDir(place), state, { verb: "retry", phase: "a" });
    expect((await place.apply(work)).reason).toBe("done");
    expect(place.landings()).toEqual(["Land b: Phase b", "Land a: Phase a"]);
  },
);

test("where the branch itself lacks an object no phase is blamed, and nothing is lost", async () => {
  const place = aPlace({ f: "f\n" }, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const id = place.git("rev-parse", "main^{tree}");
  const file = join(place.repo, ".git/objects", id.slice(0, 2), id.slice(2));
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  const onEvent = ({ type }: Told): void => {
    if (type === "phase_approved") renameSync(file, `${file}.kept`);
  };
  const missing = expect.objectContaining({ code: "ERR_MISSING_OBJECT" }) as Error;
  await expect(place.apply(work, { onEvent })).rejects.toEqual(missing);
  expect(newest(place).phases[0]?.status).toBe("queued");
  renameSync(`${file}.kept`, file);
  expect((await place.apply(work)).reason).toBe("done");
});

test("a tree that was verified already is not verified again: its receipt says so", async () => {
  const files = { "nebula.toml": verified("true"), "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({}, files);
  const same = (tree: string): void => write(tree, { "same.txt": "same\n" });
  const { reason } = await place.apply({ "Phase a": same, "Phase b": same });
  expect(reason).toBe("done");
  expect(outcomes(place)).toEqual(["passed", "known"]);
});

test("phases that merge but fail together: the second one is sent back with what failed", async () => {
  const files = { "nebula.toml": verified("sh check.sh"), "a.md": phase("a"), "b.md": phase("b") };
  const check = 'test "$(ls *.txt | wc -l)" -le 1 || { echo too many; exit 1; }\n';
  const place = aPlace({ "check.sh": check }, files);
  const add =
    (name: string) =>
    (tree: string, { prompt }: { readonly prompt: string }) => {
      const isBack = prompt.includes("too many");
      write(tree, isBack ? { "check.sh": "true\n" } : { [`${name}.txt`]: `${name}\n` });
    };
  const { reason } = await place.apply({ "Phase a": add("a"), "Phase b": add("b") });
  expect(reason).toBe("done");
  expect(outcomes(place)).toEqual(["passed", "failed", "passed"]);
  expect(reworks(place)).toEqual([
    [expect.stringMatching(/^\[verify\] sh check.sh exit 1: too many/u)],
  ]);
});

test("a phase that cannot land waits for a person after two reworks, and the others land", async () => {
  const files = {
    "nebula.toml": verified("test ! -e bad.txt"),
    "a.md": phase("a"),
    "b.md": phase("b"),
  };
  const place = aPlace({}, files);
  const { reason, state } = await place.apply({
    "Phase a": (tree) => write(tree, { "bad.txt": `${Date.now()}\n` }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  });
  expect(reason).toBe("waiting");
  expect(state.phases.map(({ status }) => status)).toEqual(["awaiting_human", "done"]);
  expect(state.phases[0]?.reason).toMatch(/^it could not land after 2 reworks: \[verify\]/u);
  expect(place.landings()).toEqual(["Land b: Phase b"]);
});

test("reworks are counted by their cause: one for a conflict does not count against one for a verification", async () => {
  const files = {
    "nebula.toml": `${verified("test ! -e bad.txt")}max_reworks = 1\n`,
    "a.md": phase("a"),
    "b.md": phase("b"),
  };
  const place = aPlace({ "shared.txt": "0\n" }, files);
  const shared = (text: string) => (tree: string) => write(tree, { "shared.txt": text });
  const work: Work = {
    "Phase a": shared("a\n"),
    "Phase b": async (tree, { prompt }) => {
      await place.after("phase_landed", "a");
      if (prompt.includes("[verify]")) rmSync(join(tree, "bad.txt"));
      else if (prompt.includes("[merge]"))
        write(tree, { "shared.txt": "both\n", "bad.txt": "x\n" });
      else shared("b\n")(tree);
    },
  };
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("done");
  expect(state.phases[1]).toMatchObject({ attempt: 3, reworks: ["merge", "verify"] });
});

test("what needs a phase that has failed is skipped and says so; the others continue", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a"),
    "b.md": phase("b", 'depends_on = ["a"]'),
    "c.md": phase("c", 'depends_on = ["b"]'),
    "d.md": phase("d"),
  };
  const place = aPlace({}, files);
  const { reason, state } = await place.apply({
    "Phase a": () => {
      throw new Error("the agent is broken");
    },
    "Phase d": (tree) => write(tree, { "d.txt": "d\n" }),
  });
  expect(reason).toBe("failed");
  const found = state.phases.map(({ id, status, reason: why }) => [id, status, why]);
  expect(found).toEqual([
    ["a", "failed", expect.stringContaining("the agent is broken")],
    ["b", "skipped", 'needs "a", which failed'],
    ["c", "skipped", 'needs "b", which was skipped'],
    ["d", "done", ""],
  ]);
});

test("with fail-fast no phase begins after one has failed, and those at work end and land", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a"),
    "b.md": phase("b"),
    "c.md": phase("c"),
  };
  const place = aPlace({}, files);
  const work: Work = {
    "Phase a": () => {
      throw new Error("the agent is broken");
    },
    "Phase b": async (tree) => {
      await vi.waitFor(
        () => expect(place.told.some(({ type }) => type === "phase_failed")).toBe(true),
        20_000,
      );
      write(tree, { "b.txt": "b\n" });
    },
    "Phase c": (tree) => write(tree, { "c.txt": "c\n" }),
  };
  const statuses = ({ state }: ApplyEnd) => state.phases.map(({ status }) => status);
  const end = await place.apply(work, { failsFast: true });
  expect([end.reason, ...statuses(end)]).toEqual(["failed", "failed", "done", "pending"]);
  // Where one has failed already, nothing begins at all; without it all others do.
  const again = await place.apply(work, { failsFast: true });
  expect([again.reason, ...statuses(again)]).toEqual(["failed", "failed", "done", "pending"]);
  expect(statuses(await place.apply(work))).toEqual(["failed", "done", "done"]);
});

test("in the order of the plan phases land whichever is approved first, and one that fails is passed over", async () => {
  const inOrder = `${MANIFEST}[execution]\nmax_workers = 3\nmerge_order = "plan"\n`;
  const files = Object.fromEntries(Array.from("abc", (id) => [`${id}.md`, phase(id)]));
  const place = aPlace({}, { "nebula.toml": inOrder, ...files });
  const work: Work = {
    "Phase a": async () => {
      await place.after("phase_approved", "b");
      throw new Error("the agent is broken");
    },
    "Phase b": async (tree) => {
      await place.after("phase_approved", "c");
      write(tree, { "b.txt": "b\n" });
    },
    "Phase c": (tree) => write(tree, { "c.txt": "c\n" }),
  };
  const { reason } = await place.apply(work, {
    limits: { maxWorkers: 3, totalUsd: 0, phaseUsd: 5 },
  });
  expect(reason).toBe("failed");
  expect(place.landings()).toEqual(["Land b: Phase b", "Land c: Phase c"]);
});

test("the branch that a person has taken back is not landed on", async () => {
  const files = {
    "nebula.toml": MANIFEST,
    "a.md": phase("a"),
    "b.md": phase("b", 'depends_on = ["a"]'),
  };
  const place = aPlace({}, files);
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => {
      place.git("branch", "--force", "nebula/demo", "main");
      write(tree, { "b.txt": "b\n" });
    },
  };
  await expect(place.apply(work)).rejects.toMatchObject({ code: "ERR_REWOUND" });
});

test("commits of others on the branch are landed upon", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };
  const place = aPlace({}, files);
  const work: Work = {
    "Phase a": (tree) => {
      const tip = place.git("rev-parse", "nebula/demo");
      const made = place.git("commit-tree", `${tip}^{tree}`, "-p", tip, "-m", "A person's");
      place.git("update-ref", "refs/heads/nebula/demo", made);
      write(tree, { "a.txt": "a\n" });
    },
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  };
  const { reason } = await place.apply(work);
  expect(reason).toBe("done");
  expect(place.landings().toSorted()).toEqual(["A person's", "Land a: Phase a", "Land b: Phase b"]);
});

test("nothing lands while somebody has the branch checked out, and it lands once they have left", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
  const place = aPlace({}, files);
  const there = join(place.root, "there");
  const work: Work = {
    "Phase a": (tree) => {
      place.git("worktree", "add", "-q", there, "nebula/demo");
      write(tree, { "a.txt": "a\n" });
    },
  };
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("waiting");
  expect(state.phases[0]?.status).toBe("queued");
  const said = place.told.filter((event) => event.type === "warning").map(({ message }) => message);
  expect(said).toEqual([expect.stringContaining(`git -C ${there} switch --detach`)]);
  expect((await place.apply(work)).reason).toBe("waiting");
  place.git("-C", there, "switch", "--quiet", "--detach");
  expect((await place.apply(work)).reason).toBe("done");
});

test("a phase that no reviewer approves fails with what is still to be done", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
  const place = aPlace({}, files);
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": `${Math.random()}\n` }) };
  const agents = agentsOf(work);
  const { reason, state } = await place.apply(work, {
    optionsOf: (spec) => {
      const { coder, reviewer } = agents(spec);
      const invoke: typeof reviewer.invoke = async (...args) => ({
        ...(await reviewer.invoke(...args)),
        text: "ISSUE:\nSEVERITY: major\nDESCRIPTION: it has no test\n",
      });
      return { coder, reviewer: { ...reviewer, invoke }, maxCycles: 2 };
    },
  });
  expect(reason).toBe("failed");
  expect(state.phases[0]?.reason).toBe("not approved in 2 cycles: it has no test");
});
