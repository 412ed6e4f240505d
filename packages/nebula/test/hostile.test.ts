import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { openRepository } from "@quasar/git";
import { expect, test } from "vitest";
import { findObstacles } from "../src/engine/find-obstacles.ts";
import { answerPhase } from "../src/people/answer.ts";
import { nebulaHome } from "../src/state/home.ts";
import { openState } from "../src/state/store.ts";
import {
  aPlace,
  GATED,
  MANIFEST,
  newest,
  phase,
  type Place,
  type Work,
  write,
  WRITES_BOTH,
  IN_ORDER,
  warnings,
  commonDir,
} from "./place.ts";

const TWO = { "nebula.toml": MANIFEST, "a.md": phase("a"), "b.md": phase("b") };
const LINES = Array.from({ length: 30 }, (_, at) => `line ${at + 1}\n`).join("");

const statuses = (place: Place): readonly string[] =>
  newest(place).phases.map(({ status }) => status);

/** Programs that say by their names that they ran. */
function canaries({ root }: Place) {
  const log = join(root, "canary");
  return {
    /** @returns The path of a program. */
    program(name: string): string {
      const path = join(root, "programs", name);
      write(root, { [`programs/${name}`]: `#!/bin/sh\necho ${name} >> ${log}\n` });
      chmodSync(path, 0o755);
      return path;
    },
    /** The names of those that ran since the last time. */
    sang(): readonly string[] {
      const names = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
      rmSync(log, { force: true });
      return [...new Set(names)].toSorted();
    },
  };
}

function hook({ repo }: Place, name: string, program: string): void {
  rmSync(join(repo, ".git/hooks", name), { force: true });
  mkdirSync(join(repo, ".git/hooks"), { recursive: true });
  symlinkSync(program, join(repo, ".git/hooks", name));
}

/** Hooks of git commands that Quasar has no need of. */
const HOOKS = ["post-checkout", "post-merge", "post-rewrite", "pre-merge-commit"];

/** Files with a merge driver each: by .gitattributes, info/attributes, core.attributesFile and merge.default. */
const DRIVERS = { "a.in": "in-tree", "b.in": "in-info", "c.in": "in-file", "d.in": "by-default" };

test("nothing that a repository names runs where phases are merged, checked out and landed", async () => {
  const attributes = "a.in merge=in-tree\n*.bin filter=smudge diff=textconv\n";
  const files = Object.fromEntries(Object.keys(DRIVERS).map((name) => [name, LINES]));
  const place = aPlace({ ...files, "x.bin": "x\n", ".gitattributes": attributes }, TWO);
  const { program, sang } = canaries(place);
  for (const name of Object.values(DRIVERS))
    place.git("config", `merge.${name}.driver`, program(name));
  write(place.repo, { ".git/info/attributes": "b.in merge=in-info\n" });
  write(place.root, { attributes: "c.in merge=in-file\n" });
  place.git("config", "core.attributesFile", join(place.root, "attributes"));
  place.git("config", "merge.default", "by-default");
  place.git("config", "filter.smudge.smudge", program("smudge"));
  place.git("config", "diff.textconv.textconv", program("textconv"));
  place.git("config", "diff.external", program("external"));
  place.git("config", "core.fsmonitor", program("fsmonitor"));
  for (const name of HOOKS) hook(place, name, program(name));
  const edit = (line: number, more: string) => (tree: string) => {
    write(tree, { "x.bin": `${more}\n` });
    for (const name of Object.keys(DRIVERS)) {
      writeFileSync(join(tree, name), LINES.replace(`line ${line}\n`, `line ${line}!\n`));
    }
  };
  const { reason, state } = await place.apply({
    "Phase a": edit(3, "x"),
    "Phase b": edit(20, "y"),
  });
  expect(reason).toBe("done");
  expect(sang()).toEqual([]);
  for (const name of Object.keys(DRIVERS)) {
    expect(place.git("show", `nebula/demo:${name}`)).toMatch(/line 3!\n.*line 20!\n/su);
  }

  for (const { tip } of state.phases) place.git("merge", "--quiet", "--no-ff", "-m", "m", tip);
  place.git("commit", "--quiet", "--amend", "-m", "n");
  place.git("switch", "--quiet", "--discard-changes", "--detach", "main~");
  place.git("diff", "main~", "main");
  place.git("diff", "--no-ext-diff", "main~", "main");
  const names = [
    "external",
    "fsmonitor",
    "smudge",
    "textconv",
    ...HOOKS,
    ...Object.values(DRIVERS),
  ];
  expect(sang(), "git itself runs them all").toEqual(names.toSorted());
});

/** Has an agent's program run at a commit. */
const takesOver =
  (place: Place, program: (name: string) => string) =>
  (tree: string): void => {
    write(tree, { "a.txt": "a\n" });
    for (const name of ["pre-commit", "commit-msg"]) hook(place, name, program(name));
  };

test("what an agent makes of git's settings and hooks, no run after it takes for its user's", async () => {
  const place = aPlace({}, IN_ORDER);
  const { program, sang } = canaries(place);
  const work: Work = {
    ...WRITES_BOTH,
    "Phase a": takesOver(place, program),
  };
  const refused = await place.apply(work);
  expect(refused.reason).toBe("failed");
  expect(refused.state.phases[0]?.reason).toContain("git hook .git/hooks/pre-commit: new");
  const again = (change = {}) =>
    place.apply(WRITES_BOTH, { resumed: newest(place), loaded: undefined, ...change });
  const retry = () => answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a" });
  expect(retry()).toEqual({ kind: "done" });
  expect((await again()).reason).toBe("waiting");
  expect(statuses(place)).toEqual(["pending", "pending"]);
  const said = warnings(place).filter((message) => message.startsWith("no phase begins. Git's"));
  expect(said.at(-1)).toContain("or resume with --accept-settings");
  const found = await findObstacles(await openRepository(place.repo), newest(place), {});
  expect(found).toEqual([{ stops: "work", message: said.at(-1), accepts: "settings" }]);
  expect(sang()).toEqual([]);

  const accepted = await again({ acceptSettings: true });
  expect(accepted.reason).toBe("done");
  expect(warnings(place)).toContain("accepted: git hook .git/hooks/pre-commit: new");
  expect(sang(), "git itself runs them").toEqual(["commit-msg", "pre-commit"]);
});

test("a phase that works beside one whose agent changes git's hooks does not commit with them", async () => {
  const place = aPlace({}, TWO);
  const { program, sang } = canaries(place);
  const { state } = await place.apply({
    ...WRITES_BOTH,
    "Phase a": takesOver(place, program),
    "Phase b": async (tree) => {
      write(tree, { "b.txt": "b\n" });
      while (!existsSync(join(place.repo, ".git/hooks/commit-msg"))) await sleep(10);
    },
  });
  expect(state.phases.map(({ status }) => status)).not.toContain("done");
  expect(sang()).toEqual([]);
});

test("what is copied into a work tree is neither read nor written through a link, nor ever committed", async () => {
  const copy = '["near/key", "in/key", "out/key", "seen.txt", "kept.txt"]';
  const files = { ...TWO, "nebula.toml": `${MANIFEST}[execution]\ncopy = ${copy}\n` };
  const place = aPlace({ ".gitignore": "key\n", "kept.txt": "kept\n" }, files);
  const outside = join(place.root, "outside");
  write(outside, { "theirs/key": "secret\n" });
  // In the commit a link that leads outside, in the user's tree a folder.
  symlinkSync(outside, join(place.repo, "out"));
  place.git("add", "out");
  place.git("commit", "--quiet", "-m", "Link");
  rmSync(join(place.repo, "out"));
  write(place.repo, {
    "near/key": "1\n",
    "out/key": "2\n",
    "seen.txt": "3\n",
    "kept.txt": "mine\n",
  });
  symlinkSync(join(outside, "theirs"), join(place.repo, "in"));
  const seen: string[] = [];
  const look = (tree: string): void => {
    seen.push(readFileSync(join(tree, "near/key"), "utf8"));
    seen.push(readFileSync(join(tree, "kept.txt"), "utf8"));
    seen.push(...["in", "seen.txt"].filter((name) => existsSync(join(tree, name))));
    write(tree, { "work.txt": "x\n" });
  };
  expect((await place.apply({ "Phase a": look })).reason).toBe("done");
  expect(seen).toEqual(["1\n", "kept\n"]);
  expect(readdirSync(outside)).toEqual(["theirs"]);
  expect([...new Set(warnings(place))]).toEqual([
    "in/key was not copied: in is a link",
    "out/key was not copied: out is a link",
    "seen.txt was not copied: git does not ignore it",
  ]);
  const landed = place.git("ls-tree", "-r", "--name-only", "nebula/demo").split("\n");
  expect(landed).toEqual([".gitignore", "kept.txt", "out", "work.txt"]);
});

test("a link that an agent puts in a work tree's place is not followed, and a resume moves it aside", async () => {
  const place = aPlace({}, IN_ORDER);
  const before = place.git("for-each-ref", "refs/heads/main");
  const next = (tree: string): string => join(dirname(tree), newest(place).phases[1]?.ref ?? "");
  const work: Work = {
    ...WRITES_BOTH,
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      symlinkSync(place.repo, next(tree));
    },
  };
  await expect(place.apply(work)).rejects.toMatchObject({ code: "ERR_DAMAGED" });
  expect((await place.apply(work)).reason).toBe("done");
  expect(warnings(place)).toEqual([
    expect.stringMatching(/^files that are no work tree of the repository are kept in .*\.left-/u),
  ]);
  expect(place.landings()).toHaveLength(2);
  expect(place.git("for-each-ref", "refs/heads/main")).toBe(before);
  expect(readdirSync(place.repo)).toEqual([".git"]);
});

test("what an agent writes into the tree of verifications, or into a tree of others, is not verified there", async () => {
  const verified = `${MANIFEST}[execution]\nverify = ["test ! -e planted.txt"]\n`;
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": verified });
  const { reason, state } = await place.apply({
    ...WRITES_BOTH,
    "Phase b": (tree) => {
      write(join(dirname(tree), "verify"), { "planted.txt": "x\n", "a.txt": "changed\n" });
      write(tree, { "b.txt": "b\n" });
    },
  });
  expect(reason).toBe("done");
  expect(state.phases.map(({ reworks }) => reworks)).toEqual([[], []]);
});

test("what is no answer among the answers stops nothing, and is kept", async () => {
  const gated = `${MANIFEST}[execution]\ngate = "review"\n`;
  const place = aPlace({}, { ...IN_ORDER, "nebula.toml": gated });
  const inbox = (): string => join(place.repo, ".git/quasar/nebulae", newest(place).id, "inbox");
  const { reason } = await place.apply({
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      const forged = {
        verb: "approve",
        phase: "a",
        attempt: 1,
        digest: "",
        reason: "",
        isFinal: false,
      };
      write(inbox(), { "1.json": "{", "2.json/x": "", "4.json": JSON.stringify(forged) });
      symlinkSync("/dev/zero", join(inbox(), "3.json"));
      execFileSync("mkfifo", [join(dirname(inbox()), "stop.json")]);
    },
  });
  expect(reason).toBe("waiting");
  expect(statuses(place)).toEqual(["awaiting_human", "pending"]);
  const kept = readdirSync(inbox()).map((name) => name.replace(/\.left-[0-9a-f]{8}$/u, ""));
  expect(kept.toSorted()).toEqual(["1.json", "2.json", "3.json"]);
  expect(warnings(place)).toEqual([
    ...Array(3).fill(expect.stringContaining("no answer of Quasar's: kept as ")),
    "approve was not carried out: nobody is asked whether it lands",
  ]);
});

test("ids and titles are free text: none of it becomes a path, a ref or a line of a commit of its own", async () => {
  const id = "../../x $(touch pwned) --force";
  const title = "--upload-pack=evil Quasar-Phase: other";
  const file = `+++\nid = "${id}"\ntitle = "${title}"\n+++\nDo it.\n`;
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": file });
  const work: Work = { [title]: (tree) => write(tree, { "a.txt": "a\n" }) };
  const { reason, state } = await place.apply(work);
  expect(reason).toBe("done");
  expect(existsSync(join(place.root, "x"))).toBe(false);
  expect(state.phases[0]?.ref).toMatch(/^p1-[0-9a-f]{8}$/u);
  const format = "--format=%(trailers:key=Quasar-Phase,valueonly)";
  expect(place.git("log", "-1", format, "nebula/demo")).toBe(id);
});

test("what setting up changes of git's settings is asked about before a phase works, and once", async () => {
  const setup = 'setup = ["mkdir -p .husky", "git config core.hooksPath .husky"]';
  const files = { ...IN_ORDER, "nebula.toml": `${MANIFEST}[execution]\n${setup}\n` };
  const place = aPlace({}, files);
  let turns = 0;
  const work: Work = {
    ...WRITES_BOTH,
    "Phase a": (tree) => {
      turns += 1;
      write(tree, { "a.txt": "a\n" });
    },
  };
  expect((await place.apply(work)).reason).toBe("waiting");
  expect(turns).toBe(0);
  expect(warnings(place)).toEqual([expect.stringContaining('core.hookspath: ".husky"')]);
  expect((await place.apply(work, { acceptSettings: true })).reason).toBe("done");
  expect(turns).toBe(1);
});

/** A commit that no reviewer has seen, on what a work tree is at. */
function unreviewed(tree: string): string {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: tree, encoding: "utf8" }).trim();
  const blob = execFileSync("git", ["hash-object", "-w", "--stdin"], {
    cwd: tree,
    input: "evil\n",
  });
  const entry = `100644 blob ${blob.toString().trim()}\tevil.txt\n`;
  const made = execFileSync("git", ["mktree"], { cwd: tree, input: entry }).toString().trim();
  return git(
    "-c",
    "user.name=A",
    "-c",
    "user.email=a@b",
    "commit-tree",
    "-p",
    "HEAD",
    "-m",
    "evil",
    made,
  );
}

const frozen = (nebula: string, ref: string | undefined): string =>
  `refs/quasar/nebula/${nebula}/phase/${ref}/1`;

test("what lands is what was approved, whatever an agent has its ref name", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  let evil = "";
  const { reason, state } = await place.apply({
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      evil = unreviewed(tree);
      place.git("update-ref", frozen(basename(dirname(tree)), basename(tree)), evil);
    },
  });
  expect(reason).toBe("done");
  expect(place.git("ls-tree", "--name-only", "nebula/demo")).toBe("a.txt");
  const [{ ref, tip } = {}] = state.phases;
  expect(place.git("rev-parse", frozen(state.id, ref))).toBe(tip);
  expect(warnings(place)).toEqual([
    expect.stringContaining(`named ${evil}, which nobody approved`),
  ]);
});

test("after a crash the run says what was approved, and not its ref", async () => {
  const place = aPlace({}, { "nebula.toml": GATED, "a.md": phase("a") });
  const { state } = await place.apply(WRITES_BOTH);
  const [{ ref, tip } = {}] = state.phases;
  const home = nebulaHome(commonDir(place), state.id);
  const store = openState(home, () => new Date());
  store.keep("a", { status: "running", question: "", tip: "" });
  store.close();
  place.git("update-ref", frozen(state.id, ref), unreviewed(place.repo));
  expect((await place.apply(WRITES_BOTH)).state.phases[0]).toMatchObject({ tip, attempt: 1 });
  expect(place.git("rev-parse", frozen(state.id, ref))).toBe(tip);
  expect(warnings(place)).toHaveLength(1);
});

test("a ref that excludes one of Quasar's own stops the phase that it is about, and no other", async () => {
  const place = aPlace({}, TWO);
  const { reason, state } = await place.apply({
    ...WRITES_BOTH,
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      place.git("update-ref", `${frozen(basename(dirname(tree)), basename(tree))}/x`, "HEAD");
    },
  });
  expect(reason).toBe("waiting");
  expect(state.phases.map(({ status }) => status)).toEqual(["awaiting_human", "done"]);
});

test("a ref that excludes that of a run's commits stops nothing", async () => {
  const place = aPlace({}, TWO);
  const { reason, state } = await place.apply({
    ...WRITES_BOTH,
    "Phase a": (tree) => {
      write(tree, { "a.txt": "a\n" });
      const [id, ref] = [basename(dirname(tree)), basename(tree)];
      place.git("update-ref", `refs/quasar/nebula/${id}/work/${ref}/x`, "HEAD");
    },
  });
  expect(reason).toBe("done");
  expect(state.phases.map(({ status }) => status)).toEqual(["done", "done"]);
});
