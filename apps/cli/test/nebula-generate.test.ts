import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { folder, git, lastRecord, type Place, place, quasar, start, write } from "./harness.ts";

const DIR = ".nebulas/dates";

/** An answer with these files. */
function answer(files: Readonly<Record<string, string>>): string {
  const blocks = Object.entries(files).map(
    ([name, text]) => `FILE: ${name}\n\`\`\`\`\`\n${text}\n\`\`\`\`\`\n`,
  );
  return `Here it is.\n\n${blocks.join("\n")}`;
}

const phase = (id: string, keys = ""): string =>
  `+++\nid = "${id}"\ntitle = "The ${id}"\n${keys}\n+++\n\nDo it.`;

const MANIFEST = '[nebula]\nname = "dates"';
const GOOD = answer({
  "nebula.toml": MANIFEST,
  "1-parse.md": phase("parse"),
  "2-print.md": phase("print", 'depends_on = ["parse"]'),
});
const UNKNOWN = answer({ "nebula.toml": MANIFEST, "1.md": phase("a", 'depends_on = ["b"]') });

/** A place whose coder gives these answers: the first turn whose words its prompt has. */
function planner(
  turns: readonly { readonly match?: string; readonly text: string; readonly delayMs?: number }[],
): Place {
  const at = place();
  const script = join(folder(), "script.json");
  const all = turns.map((turn) => ({ role: "coder", costUsd: 0.1, ...turn }));
  writeFileSync(script, JSON.stringify({ turns: all }));
  return { ...at, env: { ...at.env, QUASAR_CODER: `scripted:${script}` } };
}

const generate = (at: Place, ...args: string[]) =>
  quasar(at, ["nebula", "generate", "Move all dates to UTC", "--dir", DIR, ...args]);

test("a nebula is written by an agent that reads, and nothing else changes", async () => {
  const at = planner([{ match: "Move all dates to UTC", text: GOOD }]);
  const done = await generate(at, "--json");
  expect(lastRecord(done), done.stderr).toMatchObject({
    type: "nebula_generate",
    dir: join(at.repo, DIR),
    nebula: "dates",
    phaseIds: ["parse", "print"],
    problems: [],
    attempt: 1,
    spentUsd: 0.1,
    exit: 0,
    next: [`quasar nebula plan ${DIR}`],
  });
  expect(readdirSync(join(at.repo, ".nebulas"))).toEqual(["dates"]);
  expect(git(at, "status", "--porcelain")).toBe("?? .nebulas/");
  expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
});

test("what is wrong goes back to the agent, with its answer", async () => {
  const at = planner([
    { match: 'REFUSED.*1\\.md: .*"b", which is no phase.*was:.*Here it is', text: GOOD },
    { text: UNKNOWN },
  ]);
  const done = await generate(at);
  expect(done.code, done.stderr).toBe(0);
  expect(done.stdout).toContain('error    1.md: "a" depends on "b", which is no phase\n');
  expect(done.stdout).toContain(`dates: 2 phases in ${DIR}\n  cost     $0.20\n`);
  expect(readdirSync(join(at.repo, ".nebulas"))).toEqual(["dates"]);
});

test("a nebula without phases goes back to the agent, and is none in the end", async () => {
  const at = planner([{ text: answer({ "nebula.toml": MANIFEST, "1-parse.md": "Parse it." }) }]);
  const done = await generate(at);
  expect(done.code, done.stderr).toBe(2);
  expect(done.stdout).toContain("error    nebula.toml: the nebula has no phases: each is a file");
  expect(existsSync(join(at.repo, DIR))).toBe(false);
});

test("after three answers that are no nebula the last one is kept beside, and the command fails with 2", async () => {
  const at = planner([{ text: UNKNOWN }]);
  const done = await generate(at, "--json");
  expect(done.code).toBe(2);
  expect(lastRecord(done)).toMatchObject({
    dir: join(at.repo, `${DIR}.invalid`),
    nebula: "",
    phaseIds: [],
    problems: [{ category: "unknown_dep" }],
    attempt: 3,
    spentUsd: expect.closeTo(0.3),
    next: [`quasar nebula validate ${DIR}.invalid`],
  });
  expect(readdirSync(join(at.repo, ".nebulas"))).toEqual(["dates.invalid"]);
});

test("a draft that was kept stays as it is, and a link of the repository's leads nowhere", async () => {
  const at = planner([{ text: UNKNOWN }]);
  write(join(at.repo, `${DIR}.invalid`), { "nebula.toml": "changed by hand" });
  expect(lastRecord(await generate(at, "--json"))).toMatchObject({
    dir: join(at.repo, `${DIR}.invalid-2`),
    exit: 2,
  });
  expect(readFileSync(join(at.repo, `${DIR}.invalid/nebula.toml`), "utf8")).toBe("changed by hand");

  const linked = planner([{ text: GOOD }]);
  const away = join(linked.outside, "away");
  mkdirSync(away);
  symlinkSync(away, join(linked.repo, ".nebulas"));
  const refused = await quasar(linked, ["nebula", "generate", "Move all", "--json"]);
  expect(lastRecord(refused)).toMatchObject({ code: "ERR_EXISTS", exit: 6 });
  expect(readdirSync(away)).toEqual([]);
  expect((await generate(linked, "--json")).code, "a person has named it").toBe(0);
  expect(readdirSync(away)).toEqual(["dates"]);
});

test("a name that leaves the folder is written nowhere", async () => {
  const files = { "nebula.toml": MANIFEST, "1.md": phase("a"), "../../pwned.md": "x" };
  const at = planner([{ match: "REFUSED.*pwned", text: GOOD }, { text: answer(files) }]);
  const done = await generate(at, "--json");
  expect(lastRecord(done), done.stderr).toMatchObject({ exit: 0, attempt: 2 });
  expect(existsSync(join(at.repo, "pwned.md"))).toBe(false);
  expect(readdirSync(at.repo)).not.toContain("pwned.md");
});

test("what is there is left alone; with --force a nebula is kept under another name", async () => {
  const at = planner([{ text: GOOD }]);
  write(join(at.repo, DIR), { "nebula.toml": "mine" });
  expect(lastRecord(await generate(at, "--json"))).toMatchObject({ code: "ERR_EXISTS", exit: 6 });
  expect((await generate(at, "--force")).code).toBe(0);
  expect(readFileSync(join(at.repo, `${DIR}.before`, "nebula.toml"), "utf8")).toBe("mine");
  expect(readFileSync(join(at.repo, DIR, "nebula.toml"), "utf8")).toBe(`${MANIFEST}\n`);
});

test.for(["a folder that is no nebula", "a link"])("--force does not replace %s", async (what) => {
  const at = planner([{ text: GOOD }]);
  write(join(at.repo, "mine"), { "nebula.toml": "mine", "src/a.js": "1" });
  if (what === "a link") {
    write(join(at.repo, "other"), { "nebula.toml": "mine" });
    symlinkSync("other", join(at.repo, "linked"));
  }
  const dir = what === "a link" ? "linked" : "mine";
  const done = await quasar(at, ["nebula", "generate", "x", "--dir", dir, "--force", "--json"]);
  expect(lastRecord(done)).toMatchObject({ code: "ERR_EXISTS", exit: 6 });
  expect(readFileSync(join(at.repo, dir, "nebula.toml"), "utf8")).toBe("mine");
});

test("no answer costs more than the remaining budget", async () => {
  const at = planner([{ text: UNKNOWN }]);
  const done = await generate(at, "--max-budget", "0.15", "--json");
  expect(lastRecord(done)).toMatchObject({ type: "error", code: "ERR_BUDGET", exit: 4 });
});

test("an agent's failure is reported, and nothing is written", async () => {
  const at = planner([{ match: "never", text: GOOD }]);
  const done = await generate(at, "--json");
  expect(lastRecord(done)).toMatchObject({ type: "error", code: "ERR_AGENT" });
  expect(existsSync(join(at.repo, ".nebulas"))).toBe(false);
});

test("an interrupt ends the agent, and leaves nothing", async () => {
  const temp = folder();
  const at = planner([{ text: GOOD, delayMs: 60_000 }]);
  const args = ["nebula", "generate", "x", "--dir", DIR];
  const running = start({ ...at, env: { ...at.env, TMPDIR: temp } }, args);
  expect(await running.sees("reads the repository")).toBe(true);
  running.child.kill("SIGINT");
  expect(await running.finished).toMatchObject({ code: 130 });
  expect(readdirSync(temp)).toEqual([]);
  expect(existsSync(join(at.repo, ".nebulas"))).toBe(false);
  expect(git(at, "worktree", "list").split("\n")).toHaveLength(1);
});
