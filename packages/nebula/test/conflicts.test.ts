import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import type { ApplyEnd } from "../src/engine/apply.ts";
import { aPlace, MANIFEST, phase, type Place, type Work, warnings, write } from "./place.ts";

// Two phases that conflict, in every way in which git knows it: the first one stays landed, the second goes back with
// both sides in its tree, and a third one lands meanwhile.

type Act = (tree: string) => void;

interface Kind {
  readonly name: string;
  readonly base: Readonly<Record<string, string>>;
  /** What is committed beside {@link base}. */
  readonly prepare?: Act;
  readonly first: Act;
  readonly second: Act;
  /** What the second one's findings begin with. */
  readonly findings: readonly RegExp[];
  /** What its coder makes of the tree that it gets back. */
  readonly resolve: Act;
  /** What `git ls-tree` has of the branch then: mode, kind and path. */
  readonly tree: readonly string[];
}

const put =
  (path: string, text: string): Act =>
  (tree) =>
    write(tree, { [path]: text });
const remove =
  (...paths: string[]): Act =>
  (tree) => {
    for (const path of paths) rmSync(join(tree, path), { recursive: true, force: true });
  };
const rename =
  (from: string, to: string): Act =>
  (tree) =>
    renameSync(join(tree, from), join(tree, to));
const link =
  (path: string, to: string): Act =>
  (tree) => {
    rmSync(join(tree, path), { force: true });
    symlinkSync(to, join(tree, path));
  };
const executable =
  (path: string, text: string): Act =>
  (tree) => {
    write(tree, { [path]: text });
    chmodSync(join(tree, path), 0o755);
  };
const all =
  (...acts: Act[]): Act =>
  (tree) => {
    for (const act of acts) act(tree);
  };
const git = (tree: string, ...args: string[]): string =>
  execFileSync("git", args, { cwd: tree, encoding: "utf8" });
/** Another repository within the tree, as an agent makes one. */
const submodule =
  (text: string): Act =>
  (tree) => {
    const sub = join(tree, "sub");
    mkdirSync(sub, { recursive: true });
    if (!existsSync(join(sub, ".git"))) git(sub, "init", "-q");
    write(sub, { text });
    git(sub, "add", "-A");
    git(sub, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", text);
  };

const LINES = Array.from({ length: 20 }, (_, at) => `line ${at}\n`).join("");
const edited = (side: string): string => LINES.replace("line 5", `line of ${side}`);

const KINDS: readonly Kind[] = [
  {
    name: "content",
    base: { f: LINES },
    first: put("f", edited("a")),
    second: put("f", edited("b")),
    findings: [/^\[merge\] f: CONFLICT \(content\)/u],
    resolve: put("f", edited("both")),
    tree: ["100644 blob f"],
  },
  {
    name: "add/add",
    base: {},
    first: put("f", "a\n"),
    second: put("f", "b\n"),
    findings: [/^\[merge\] f: CONFLICT \(add\/add\)/u],
    resolve: put("f", "both\n"),
    tree: ["100644 blob f"],
  },
  {
    name: "add/add that differs by the mode alone",
    base: {},
    first: executable("f", "same\n"),
    second: put("f", "same\n"),
    findings: [/^\[merge\] f: \S/u],
    resolve: executable("f", "same\n"),
    tree: ["100755 blob f"],
  },
  {
    name: "delete/modify",
    base: { f: LINES },
    first: remove("f"),
    second: put("f", edited("b")),
    findings: [/^\[merge\] f: CONFLICT \(modify\/delete\)/u],
    resolve: put("f", edited("b")),
    tree: ["100644 blob f"],
  },
  {
    name: "rename/rename",
    base: { f: LINES },
    first: rename("f", "g"),
    second: rename("f", "h"),
    findings: Array.from("fgh", (path) =>
      RegExp(String.raw`^\[merge\] ${path}: CONFLICT \(rename/rename\)`, "u"),
    ),
    resolve: remove("g"),
    tree: ["100644 blob h"],
  },
  {
    name: "rename/delete",
    base: { f: LINES },
    first: rename("f", "g"),
    second: remove("f"),
    findings: [/^\[merge\] g: CONFLICT \(rename\/delete\)/u],
    resolve: remove("g"),
    tree: [],
  },
  {
    name: "mode: a file and a symbolic link",
    base: { f: LINES },
    first: executable("f", edited("a")),
    second: link("f", "elsewhere"),
    findings: [/^\[merge\] f: CONFLICT/u, /^\[merge\] f~[0-9a-f]{40}: CONFLICT/u],
    resolve: all(
      (tree) => remove(...git(tree, "ls-files", "f~*").trim().split("\n"))(tree),
      link("f", "elsewhere"),
    ),
    tree: ["120000 blob f"],
  },
  {
    name: "submodule",
    base: { ".gitmodules": '[submodule "sub"]\n\tpath = sub\n\turl = ./sub\n' },
    prepare: submodule("base"),
    first: submodule("a"),
    second: submodule("b"),
    findings: [/^\[merge\] sub: CONFLICT/u],
    resolve: submodule("both"),
    tree: ["100644 blob .gitmodules", "160000 commit sub"],
  },
  {
    name: "binary",
    base: { f: "\0" },
    first: put("f", "\0a"),
    second: put("f", "\0b"),
    findings: [/^\[merge\] f: /u],
    resolve: put("f", "\0b"),
    tree: ["100644 blob f"],
  },
  {
    name: "case-only rename",
    base: { f: LINES },
    first: rename("f", "F"),
    second: rename("f", "f."),
    findings: ["F", "f", String.raw`f\.`].map((path) =>
      RegExp(String.raw`^\[merge\] ${path}: CONFLICT \(rename/rename\)`, "u"),
    ),
    resolve: remove("f."),
    tree: ["100644 blob F"],
  },
  {
    name: "directory/file",
    base: {},
    first: put("d", "a\n"),
    second: put("d/e", "b\n"),
    findings: [/^\[merge\] d~[0-9a-f]{40}: CONFLICT \(file\/directory\)/u],
    resolve: (tree) => remove(...git(tree, "ls-files", "d~*").trim().split("\n"))(tree),
    tree: ["040000 tree d"],
  },
];

const landingsOf = (ids: string): string[] => Array.from(ids, (id) => `Land ${id}: Phase ${id}`);

/** What is the user's own: nothing of it may change. */
function usersOwn({ git: ask, repo }: Place): unknown {
  return [
    ask("status", "--porcelain", "--ignored"),
    ask("symbolic-ref", "HEAD"),
    ask("rev-parse", "main"),
    ask("ls-files", "--stage"),
    readFileSync(join(repo, "mine"), "utf8"),
  ];
}

/** A tree at a commit with both sides, in which nothing of a merge is half done. */
function expectConflictCommit(tree: string, tip: string): void {
  expect(git(tree, "status", "--porcelain")).toBe("");
  const [, , onto] = git(tree, "rev-list", "--no-walk", "--parents", "HEAD").trim().split(" ");
  expect(onto).toBe(tip);
}

interface Scene {
  readonly place: Place;
  readonly work: Work;
  /** The branch as it was when the second phase got its tree back. */
  readonly tipAtRework: () => string;
}

/** Two phases that conflict, and a third one that ends once the second has been sent back. */
function aConflictOf(kind: Kind): Scene {
  const place = aPlace(
    { mine: "committed\n", ...kind.base },
    {
      "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 3\n`,
      ...Object.fromEntries(Array.from("abc", (id) => [`${id}.md`, phase(id)])),
    },
  );
  if (kind.prepare !== undefined) {
    kind.prepare(place.repo);
    place.git("add", "-A");
    place.git("commit", "-qm", "More");
  }
  let tip = "";
  const work: Work = {
    "Phase a": kind.first,
    "Phase b": async (tree, { prompt }) => {
      if (!prompt.includes("REWORK:")) {
        kind.second(tree);
        await place.after("phase_landed", "a");
        return;
      }
      if (tip === "") {
        tip = place.git("rev-parse", "nebula/demo");
        expectConflictCommit(tree, tip);
        await place.after("phase_landed", "c");
      }
      kind.resolve(tree);
    },
    "Phase c": async (tree) => {
      write(tree, { c: "c\n" });
      await place.after("rework", "b");
    },
  };
  return { place, work, tipAtRework: () => tip };
}

test.for(sample(KINDS, 3, 6))("a conflict is resolved by its phase: $name", async (kind) => {
  const { place, work, tipAtRework } = aConflictOf(kind);
  write(place.repo, { mine: "not committed\n", staged: "x", untracked: "y" });
  place.git("add", "staged");
  const before = usersOwn(place);
  const { reason, state } = await place.apply(work);
  expect({ reason, why: state.phases.map((each) => each.reason) }).toEqual({
    reason: "done",
    why: ["", "", ""],
  });
  const sentBack = place.told.flatMap((event) => (event.type === "rework" ? [event] : []));
  expect(sentBack.map(({ phase: id }) => id)).toEqual(["b"]);
  const findings = sentBack[0]?.findings ?? [];
  for (const form of kind.findings) expect(findings).toContainEqual(expect.stringMatching(form));
  expect(findings.every((each) => /^\[merge\] \S+: \S/u.test(each))).toBe(true);
  expect(place.landings()).toEqual(landingsOf("acb"));
  expect(place.git("merge-base", tipAtRework(), "nebula/demo")).toBe(tipAtRework());
  expect(state.phases.map(({ attempt }) => attempt)).toEqual([1, 2, 1]);
  const listed = place
    .git("ls-tree", "nebula/demo")
    .split("\n")
    .map((line) => line.replace(/[0-9a-f]{40}\t/u, ""))
    .filter((line) => !/ (?:c|mine)$/u.test(line));
  expect(listed).toEqual(kind.tree);
  expect(usersOwn(place)).toEqual(before);
});

const kindNamed = (name: string): Kind => {
  const found = KINDS.find((kind) => kind.name === name);
  if (found === undefined) throw new Error(name);
  return found;
};

/** What a coder may leave of a conflict, and the path in which it is. */
const UNRESOLVED = [
  ["all as it was", "content", () => {}, /f: it still has conflict markers \(lines 6, 10\)$/u],
  ["the last marker", "add/add", leaveLastMarker, /f: it still has conflict markers \(line 1\)$/u],
  ["the markers in a file that it moved", "content", moveOnce, /moved: it still has/u],
  ["the name that git gave a file", "directory/file", () => {}, /d~[0-9a-f]{40}: it still has/u],
] as const;

function moveOnce(tree: string): void {
  if (existsSync(join(tree, "f"))) rename("f", "moved")(tree);
}

function leaveLastMarker(tree: string): void {
  const path = join(tree, "f");
  const lines = readFileSync(path, "utf8").split("\n");
  writeFileSync(path, `${lines.filter((line) => line.startsWith(">>>>>>>")).join("")}\n`);
}

test.for(sample(UNRESOLVED, 2, 4))(
  "a conflict of which %s is left never lands, and no reviewer is paid for it",
  async ([, name, resolve, finding]) => {
    const { place, work } = aConflictOf({ ...kindNamed(name), resolve });
    const { state } = await place.apply(work);
    expect(place.landings()).toEqual(landingsOf("ac"));
    expect(state.phases[1]).toMatchObject({
      ...{ status: "failed", attempt: 2 },
      reason: expect.stringMatching(/^not approved in 3 cycles: \[filter:commit\] /u) as string,
    });
    expect(state.phases[1]?.reason).toMatch(finding);
    expect(turnsOfRework(place)).toEqual(["coder 1", "coder 2", "coder 3"]);
  },
);

/** Whose turns were begun since the second phase was sent back, and in which cycles. */
function turnsOfRework({ told }: Place): readonly string[] {
  const from = told.findIndex((event) => event.type === "rework");
  return told.slice(from).flatMap((each) => {
    if (each.type !== "run_event" || each.phase !== "b") return [];
    const { event } = each;
    return event.type === "agent_start" ? [`${event.role} ${event.cycle}`] : [];
  });
}

/** Lines that look like what a merge writes, and were there before. */
const LOOKALIKES = "Title\n=======\n<<<<<<< HEAD\n=======\n>>>>>>> other\n";

test.for([
  ["its coder gets them first", false],
  ["an engine that continues has its coder told of them first", true],
] as const)("where conflict markers are left, %s", async ([, isStopped]) => {
  const prompts: string[] = [];
  const { place, work } = aConflictOf({
    ...kindNamed("content"),
    base: { f: LOOKALIKES + LINES },
    first: put("f", LOOKALIKES + edited("a")),
    second: put("f", LOOKALIKES + edited("b")),
    resolve: (tree) => prompts.length > 1 && put("f", LOOKALIKES + edited("both"))(tree),
  });
  const asked: Work = {
    ...work,
    "Phase b": async (tree, request) => {
      if (place.told.some(({ type }) => type === "rework")) prompts.push(request.prompt);
      await work["Phase b"]?.(tree, request);
    },
  };
  if (isStopped) expect((await stoppedAtFinding(place, asked)).reason).toBe("interrupted");
  const { reason, state } = await place.apply(asked);
  expect({ reason, attempt: state.phases[1]?.attempt }).toEqual({ reason: "done", attempt: 2 });
  expect(prompts).toHaveLength(2);
  expect(prompts[1]).toContain("f: it still has conflict markers (lines 11, 15)");
  expect(turnsOfRework(place)).toEqual(["coder 1", "coder 2", "reviewer 2"]);
  expect(place.git("show", "nebula/demo:f")).toBe((LOOKALIKES + edited("both")).trim());
});

/** An engine that is stopped once its coder is to be told of what is left. */
async function stoppedAtFinding(place: Place, work: Work): Promise<ApplyEnd> {
  const stop = new AbortController();
  return place.apply(work, {
    signal: stop.signal,
    onEvent(event) {
      place.tell(event);
      if (event.type !== "run_event" || event.event.type !== "review_complete") return;
      if (!event.event.approved) stop.abort();
    },
  });
}

test("the commits of submodules stay where they were made", async () => {
  const { place, work } = aConflictOf(kindNamed("submodule"));
  await place.apply(work);
  const kept = globSync(join(place.root, ".repo.quasar/*/*/sub/.git"));
  const subjects = kept.map((folder) =>
    git(place.root, "--git-dir", folder, "log", "--format=%s").trim(),
  );
  expect(subjects.toSorted()).toEqual(["a", "b", "both"]);
  const stays = warnings(place).filter((said) => said.startsWith("its work tree stays"));
  expect(stays[0]).toMatch(/no remote has the commit of its submodule sub$/u);
  expect(new Set(stays).size).toBe(stays.length);
});
