import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { loadNebula } from "../src/spec/index.ts";
import { chooseNebula, findNebula } from "../src/state/choose.ts";
import {
  agentsOf,
  aPlace,
  commonDir,
  GATED,
  MANIFEST,
  phase,
  warnings,
  type Work,
  write,
  WRITES_BOTH,
} from "./place.ts";

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");

const edit = (line: number, by: string) => (tree: string) => {
  const file = join(tree, "shared.txt");
  const text = readFileSync(file, "utf8").replace(`line ${line}\n`, `line ${line} by ${by}\n`);
  writeFileSync(file, text);
};

const WORK: Work = {
  "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
  "Phase b": edit(1, "b"),
  "Phase c": (tree) => write(tree, { "c.txt": `${readFileSync(join(tree, "a.txt"), "utf8")}c\n` }),
  "Phase d": edit(30, "d"),
  "Phase e": (tree) =>
    write(tree, {
      "e.txt": readdirSync(tree)
        .filter((name) => name.endsWith(".txt"))
        .join(","),
    }),
};

const PHASES = {
  "a.md": phase("a"),
  "b.md": phase("b"),
  "c.md": phase("c", 'depends_on = ["a"]'),
  "d.md": phase("d"),
  "e.md": phase("e", 'depends_on = ["b", "c", "d"]'),
};

test("phases are worked on side by side and landed one by one on a branch of their own", async () => {
  const place = aPlace({ "shared.txt": LINES }, { "nebula.toml": MANIFEST, ...PHASES });
  write(place.repo, { "shared.txt": "mine\n", "mine.txt": "not committed\n" });
  const { reason, state } = await place.apply(WORK);
  expect(reason).toBe("done");
  expect(place.landings().toSorted()).toEqual(
    ["a", "b", "c", "d", "e"].map((id) => `Land ${id}: Phase ${id}`),
  );
  const shared = place.git("show", "nebula/demo:shared.txt");
  expect(shared).toContain("line 1 by b\n");
  expect(shared).toContain("line 30 by d\n");
  expect(place.git("show", "nebula/demo:c.txt")).toBe("a\nc");
  expect(place.git("show", "nebula/demo:e.txt")).toBe("a.txt,c.txt,shared.txt");
  expect(state.phases.map(({ status }) => status)).toEqual(Array(5).fill("done"));
  // The user's own tree, branch and refs are as they were.
  expect(place.git("status", "--porcelain")).toBe("M shared.txt\n?? mine.txt");
  expect(place.git("branch", "--show-current")).toBe("main");
  expect(place.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(place.root)).not.toContain(".repo.quasar");
});

test("a nebula that needs another one begins where that has landed, and nowhere else", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a") };
  const place = aPlace({}, files);
  const later = join(place.root, "later");
  write(later, {
    "nebula.toml": '[nebula]\nname = "later"\n[dependencies]\nrequires_nebulae = ["demo"]\n',
    "b.md": phase("b"),
  });
  const work: Work = {
    "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
    "Phase b": (tree) => write(tree, { "b.txt": "b\n" }),
  };
  const apply = () =>
    place.apply(work, {
      loaded: loadNebula(later),
      resumed: undefined,
      base: place.git("rev-parse", "main"),
    });
  await expect(apply()).rejects.toMatchObject({ code: "ERR_UNFINISHED" });
  await place.apply(work);
  await expect(apply()).rejects.toMatchObject({
    message: expect.stringContaining("base") as string,
  });
  place.git("merge", "--quiet", "nebula/demo");
  expect((await apply()).reason).toBe("done");
});

test("of a nebula that the repository does not know, the state file of the Go original counts", async () => {
  const needs = '[nebula]\nname = "later"\n[dependencies]\nrequires_nebulae = ["go"]\n';
  const place = aPlace({}, { "nebula.toml": needs, "b.md": phase("b") });
  const state = (...statuses: string[]): void => {
    const phases = statuses.map((status, at) => `[phases.p${at}]\nstatus = "${status}"\n`);
    const text = `version = 1\nnebula_name = "go"\n${phases.join("")}`;
    write(join(place.root, "go"), { "nebula.state.toml": text });
  };
  const apply = () => place.apply({});
  await expect(apply()).rejects.toMatchObject({ code: "ERR_UNFINISHED" });
  for (const statuses of [[], ["done", "in_progress"], ["done", "skipped"]]) {
    state(...statuses);
    await expect(apply()).rejects.toMatchObject({ code: "ERR_UNFINISHED" });
  }
  write(join(place.root, "go"), { "nebula.state.toml": "version = 2\n" });
  await expect(apply()).rejects.toMatchObject({ code: "ERR_INCOMPATIBLE_VERSION" });
  state("done", "decomposed");
  expect((await apply()).reason).toBe("done");
  const file = join(place.root, "go", "nebula.state.toml");
  expect(warnings(place)).toEqual([`the nebula "go" counts as landed, since ${file} says so`]);
});

test.for(["nebula/demo", "nebula"])(
  "where there is a branch %s nothing begins, and it stays",
  async (taken) => {
    const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
    place.git("branch", taken);
    await expect(place.apply({})).rejects.toMatchObject({
      code: "ERR_BRANCH",
      message: expect.stringContaining(`there is a branch ${taken} already`) as string,
    });
    expect(place.git("branch", "--list", "--format=%(refname:short)", "nebula*")).toBe(taken);
    const other = await place.apply({}, { branch: "work/demo" });
    expect(other.state.branch).toBe("work/demo");
    expect(place.git("rev-parse", "work/demo")).toBe(place.git("rev-parse", "main"));
  },
);

test("a phase that takes longer than it may fails, and says how long that is", async () => {
  const files = { "nebula.toml": MANIFEST, "a.md": phase("a", 'timeout = "1s"') };
  const place = aPlace({}, files);
  const { reason, state } = await place.apply(
    {},
    {
      optionsOf: (spec) => {
        const { coder, reviewer } = agentsOf({})(spec);
        const invoke: typeof coder.invoke = async (_request, { signal } = {}) => {
          await sleep(60_000, undefined, { signal }).catch(() => {});
          const failure = { kind: "cancelled", message: "cancelled", retryable: false } as const;
          return { failure, text: "", costSource: "unknown", durationMs: 1 };
        };
        return { coder: { ...coder, invoke }, reviewer };
      },
    },
  );
  expect(reason).toBe("failed");
  expect(state.phases[0]?.reason).toBe("it took longer than 1 s");
});

test("where several nebulae are unfinished one is meant by its id, name or folder alone", async () => {
  const files = { "nebula.toml": GATED, "a.md": phase("a") };
  const place = aPlace({}, files);
  const other = join(place.root, "other");
  write(other, { ...files, "nebula.toml": GATED.replace("demo", "other") });
  const find = (named?: string) => findNebula(commonDir(place), named);
  expect(() => find()).toThrow("there is no nebula in this repository");
  const demo = (await place.apply(WRITES_BOTH)).state;
  expect(find()).toEqual(demo);
  const { state } = await place.apply(WRITES_BOTH, {
    loaded: loadNebula(other),
    resumed: undefined,
  });
  const step = (id: string) => `quasar nebula stop ${id}`;
  expect(() => chooseNebula(commonDir(place), undefined, { step })).toThrow(
    expect.objectContaining({
      message: "several nebulae are meant; name one by its id",
      next: [
        { shell: step(state.id), note: "other" },
        { shell: step(demo.id), note: "demo" },
      ],
    }),
  );
  expect(() => find()).toThrow("several nebulae are meant");
  const like = (...names: readonly string[]) => [
    ({ name }: { readonly name: string }) => names.includes(name),
  ];
  // A condition decides where one nebula alone meets it, and nothing where none does.
  const choose = (...names: readonly string[]) =>
    chooseNebula(commonDir(place), undefined, { prefers: like(...names) }).name;
  expect(choose("demo")).toBe("demo");
  expect(() => choose("demo", "other")).toThrow("several");
  expect(() => choose()).toThrow("several");
  // What would be refused for each of them is no advice.
  expect(() => chooseNebula(commonDir(place), undefined, { step, isFor: () => false })).toThrow(
    expect.objectContaining({
      message: "several nebulae are unfinished, and this does nothing for any of them now",
      next: [
        { shell: `quasar nebula status ${state.id}`, note: "other" },
        { shell: `quasar nebula status ${demo.id}`, note: "demo" },
      ],
    }),
  );
  for (const named of [demo.id, "demo", place.dir]) expect(find(named)).toEqual(demo);
  expect(() => find("none")).toThrow('there is no nebula "none" in this repository');
});

test("an interrupt stops work and landings with all saved, and says that it was one", async () => {
  const files = {
    "nebula.toml": `${MANIFEST}[execution]\nverify = ["test ! -e a.txt || sleep 60"]\n`,
    "a.md": phase("a"),
  };
  const place = aPlace({}, files);
  const work: Work = { "Phase a": (tree) => write(tree, { "a.txt": "a\n" }) };
  const stop = new AbortController();
  const applied = place.apply(work, {
    signal: stop.signal,
    onEvent: (event) => {
      if (event.type === "candidate_made") setTimeout(() => stop.abort(), 500);
    },
  });
  const { reason, state } = await applied;
  expect([reason, state.phases[0]?.status]).toEqual(["interrupted", "landing"]);
});
