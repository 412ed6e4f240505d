import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type Life, type LifeOptions, live } from "./life.ts";
import { makePlace, type Place } from "./place.ts";
import type { Kill } from "./kill.ts";

function aPlace(): Place {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-watcher-"));
  onTestFinished(() => rmSync(scratch, { recursive: true, force: true }));
  const fixture = join(scratch, "fixture");
  mkdirSync(fixture);
  writeFileSync(join(fixture, "old"), "old\n");
  return makePlace(scratch, "1", { work: fixture });
}

function run(
  place: Place,
  code: string,
  kill?: Kill,
  more?: Pick<LifeOptions, "background" | "chance" | "clock">,
): Promise<Life> {
  const args = ["--input-type=module", "--eval", code];
  const command = { file: process.execPath, args };
  return live(place, command, { number: 0, kill, timeoutMs: 60_000, counts: false, ...more });
}

const IMPORTS = `
import * as fs from "node:fs";
import { execFile, execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { promisify } from "node:util";
`;
const WHOLE = ["create work/new #1", "write work/new #1"];
const PIECES = [...WHOLE, "fsync work/new #1", "truncate work/new #1"];

test.for([
  ["writeFileSync", `fs.writeFileSync("new", "x");`, WHOLE],
  ["writeFile", `await promisify(fs.writeFile)("new", "x");`, WHOLE],
  ["promises.writeFile", `await fs.promises.writeFile("new", "x");`, WHOLE],
  [
    "a write over a file",
    `fs.writeFileSync("old", "x");`,
    ["truncate work/old #1", "write work/old #1"],
  ],
  [
    "an exclusive write to a file that is there",
    `try { fs.writeFileSync("old", "x", { flag: "wx" }); } catch {}`,
    [],
  ],
  ["appendFileSync", `fs.appendFileSync("old", "x");`, ["write work/old #1"]],
  ["a text's encoding in the options' place", `fs.writeFileSync("new", "x", "utf8");`, WHOLE],
  [
    "descriptors",
    `const fd = fs.openSync("new", "wx");
     fs.writeSync(fd, "x"); fs.fsyncSync(fd); fs.ftruncateSync(fd, 0); fs.closeSync(fd);`,
    PIECES,
  ],
  [
    "descriptors by callback",
    `const fd = await promisify(fs.open)("new", "w");
     await promisify(fs.write)(fd, "x"); await promisify(fs.fsync)(fd);
     await promisify(fs.ftruncate)(fd, 0); await promisify(fs.close)(fd);`,
    PIECES,
  ],
  [
    "handles",
    `const handle = await fs.promises.open("new", "w");
     await handle.write("x"); await handle.sync(); await handle.truncate(0); await handle.close();`,
    PIECES,
  ],
  [
    "a stream",
    `const out = fs.createWriteStream("new"); out.end("x"); await once(out, "close");`,
    WHOLE,
  ],
  ["reading", `fs.readFileSync("old"); fs.openSync("old", "r"); fs.readdirSync(".");`, []],
  [
    "names",
    `fs.renameSync("old", "a"); await fs.promises.link("a", "b"); fs.symlinkSync("a", "c");
     fs.unlinkSync("a"); fs.rmSync("b"); fs.rmSync("gone", { force: true });`,
    [
      "rename work/a #1",
      "link work/b #1",
      "link work/c #1",
      "unlink work/a #1",
      "unlink work/b #1",
    ],
  ],
  [
    "folders",
    `fs.mkdirSync("d"); fs.mkdirSync("d", { recursive: true }); fs.mkdtempSync("t-");
     fs.rmSync("d", { recursive: true });`,
    ["mkdir work/d #1", "mkdir work/t-* #1", "unlink work/d #1"],
  ],
  [
    "names by chance",
    `fs.writeFileSync(".x." + "0123456789abcdef" + ".tmp", "");`,
    ["create work/.x.*.tmp #1", "write work/.x.*.tmp #1"],
  ],
  ["what is elsewhere", `fs.writeFileSync("/dev/null", "x"); fs.writeSync(1, "x");`, []],
  [
    "programs",
    `await once(spawn("true"), "exit"); await promisify(execFile)("sh", ["-c", ":"]);
     spawnSync("git", ["-c", "a.b=c", "status"]); execFileSync("true");`,
    ["spawn true #1", "spawn sh #1", "spawn git status #1", "spawn true #2"],
  ],
  [
    "a commit, which has an end",
    `await once(spawn("git", ["--no-pager", "commit"]), "exit");`,
    ["spawn git commit #1", "ended git commit #1"],
  ],
] as const)("sees the steps of %s", async ([, code, steps]) => {
  const { steps: seen, exitCode, stderr } = await run(aPlace(), IMPORTS + code);
  expect(stderr).toBe("");
  expect(exitCode).toBe(0);
  expect(seen).toEqual(steps);
});

test("leaves out of names what the subject calls chance", async () => {
  const code = `import { mkdirSync } from "node:fs"; mkdirSync("of-bcdfg");`;
  const { steps } = await run(aPlace(), code, undefined, { chance: [["of-[b-g]{5}$", "of-*"]] });
  expect(steps).toEqual(["mkdir work/of-* #1"]);
});

test("continues watching what a callback does", async () => {
  const code = `import * as fs from "node:fs";
    fs.writeFile("a", "x", () => fs.promises.writeFile("b", "x").then(() => fs.rmSync("b")));`;
  const { steps } = await run(aPlace(), code);
  expect(steps).toContain("write work/a #1");
  expect(steps.slice(-3)).toEqual(["create work/b #1", "write work/b #1", "unlink work/b #1"]);
});

test.for([
  ["create work/new #1", undefined],
  ["write work/new #1", ""],
  ["rename work/newer #1", "x"],
] as const)("kills before %s takes effect", async ([step, content]) => {
  const place = aPlace();
  const code = `import { renameSync, writeFileSync } from "node:fs";
    writeFileSync("new", "x"); renameSync("new", "newer");`;
  const life = await run(place, code, { kind: "runner", step });
  expect(life).toMatchObject({ killed: true, exitCode: null, signal: "SIGKILL" });
  expect(life.steps.at(-1)).toBe(step);
  const file = join(place.work, "new");
  expect(existsSync(file) ? readFileSync(file, "utf8") : undefined).toBe(content);
  expect(existsSync(join(place.work, "newer"))).toBe(false);
});

const parent = (hasOwnGroup: boolean): string => `
  import { spawn } from "node:child_process";
  import { existsSync, writeFileSync } from "node:fs";
  const child = \`const fs = require("node:fs");
    fs.writeFileSync("ready", process.env.NODE_OPTIONS ?? "none");
    setTimeout(() => process.exit(), 120_000);
    setInterval(() => {
      if (!fs.existsSync("go")) return;
      fs.writeFileSync("child", "alive");
      process.exit();
    }, 20);\`;
  spawn(process.execPath, ["--eval", child], { detached: ${hasOwnGroup}, stdio: "ignore" }).unref();
  while (!existsSync("ready")) await new Promise((resolve) => setTimeout(resolve, 5));
  writeFileSync("new", "x");
`;

test.for([
  ["runner", { hasOwnGroup: false, isThere: true }],
  ["group", { hasOwnGroup: false, isThere: false }],
  ["group", { hasOwnGroup: true, isThere: true }],
  ["everything", { hasOwnGroup: true, isThere: false }],
] as const)("a kill of %s leaves a child that outlives it: %j", async ([kind, child]) => {
  const { hasOwnGroup, isThere } = child;
  const place = aPlace();
  const { killed } = await run(place, parent(hasOwnGroup), { kind, step: "create work/new #1" });
  expect(killed).toBe(true);
  writeFileSync(join(place.work, "go"), "");
  const isAlive = () => existsSync(join(place.work, "child"));
  if (isThere) await expect.poll(isAlive).toBe(true);
  else await new Promise((resolve) => setTimeout(resolve, 600));
  expect(isAlive()).toBe(isThere);
});

test("is not seen by the process's children, and counts no step of theirs", async () => {
  const place = aPlace();
  const { steps } = await run(place, parent(true));
  writeFileSync(join(place.work, "go"), "");
  expect(readFileSync(join(place.work, "ready"), "utf8")).toBe("none");
  expect(steps).toEqual(["spawn node #1", ...WHOLE]);
});

/** Starts a program in the background twice, which it does not wait for the second time. */
const twice = ({ background }: Place): string => `
  import { spawn, spawnSync } from "node:child_process";
  import { writeFileSync } from "node:fs";
  const args = (name) => ["--input-type=module", "--eval",
    \`await import(${JSON.stringify(background)});
     const { writeFileSync } = await import("node:fs"); writeFileSync("\${name}", "x");\`];
  spawnSync(process.execPath, args("a"));
  spawn(process.execPath, args("b"), { stdio: "ignore" }).unref();
  writeFileSync("new", "x");
`;
const BEHIND = ["create bg: work/a #1", "write bg: work/a #1"];

test("watches a program in the background too, until its end", async () => {
  const place = aPlace();
  const { steps } = await run(place, twice(place), undefined, { background: "bg" });
  const own = ["spawn node #1", "spawn node #2", ...WHOLE];
  expect(steps).toEqual([...own, ...BEHIND, "create bg: work/b #1", "write bg: work/b #1"]);
});

test.for([
  ["runner", { killed: false, reached: true, exitCode: 0 }, true],
  ["everything", { killed: true, reached: true, exitCode: null }, false],
] as const)("a kill of %s in the background ends who is meant", async ([kind, ended, isThere]) => {
  const place = aPlace();
  const kill = { kind, step: "create bg: work/a #1" };
  expect(await run(place, twice(place), kill, { background: "bg" })).toMatchObject(ended);
  expect(existsSync(join(place.work, "a"))).toBe(false);
  expect(existsSync(join(place.work, "new"))).toBe(isThere);
});

test("a timer of the subject's goes off once for each time that it is set, others when their time is over", async () => {
  const place = aPlace();
  const file = join(place.notes, "strike");
  writeFileSync(file, "");
  const code = `import { setTimeout } from "node:timers/promises";
    import { writeFileSync } from "node:fs";
    await setTimeout(3_600_000); writeFileSync("first", "");
    const over = setTimeout(60, "over");
    const told = setTimeout(3_600_000, "told", { signal: AbortSignal.timeout(400) });
    writeFileSync(await Promise.race([over, told]), "");
    await told.catch((error) => writeFileSync(error.name, ""));`;
  const { steps } = await run(place, code, undefined, { clock: { 3_600_000: file } });
  const created = steps.filter((step) => step.startsWith("create"));
  expect(created).toEqual([
    "create work/first #1",
    "create work/over #1",
    "create work/AbortError #1",
  ]);
  expect(existsSync(file)).toBe(false);
});
