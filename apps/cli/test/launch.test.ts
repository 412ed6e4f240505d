import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";
import { folder, MAIN, place } from "./harness.ts";

const play = (text: string): string => `data:text/javascript,${encodeURIComponent(text)}`;
const WINDOWS = play(`Object.defineProperty(process, "platform", { value: "win32" })`);
const OLD = play(`Object.defineProperty(process.versions, "node", { value: "20.19.0" })`);

test.for([
  ["Windows", WINDOWS, "use WSL 2", "wsl --install"],
  ["an old Node", OLD, "needs Node 22.18 or later; this is 20.19.0", "npx -y -p node@24 node"],
] as const)("on %s both commands say what to do, and touch nothing", ([, system, why, next]) => {
  for (const name of ["main", "atlas"]) {
    const home = mkdtempSync(join(tmpdir(), "quasar-launch-"));
    onTestFinished(() => rmSync(home, { recursive: true }));
    const program = fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url));
    const { status, stderr } = spawnSync(
      process.execPath,
      ["--import", system, program, "status"],
      { cwd: home, env: { PATH: process.env["PATH"], HOME: home }, encoding: "utf8" },
    );
    expect(status).toBe(1);
    expect(stderr).toContain(why);
    expect(stderr).toContain(`  next     ${next}`);
    expect(readdirSync(home)).toEqual([]);
  }
});

test("a command that fails says why although its own files are gone by then, as after an upgrade", () => {
  const at = place();
  const installed = folder();
  const programs = join(installed, "dist");
  cpSync(join(MAIN, ".."), programs, { recursive: true });
  cpSync(join(MAIN, "../../package.json"), join(installed, "package.json"));
  const agents = ["--max-budget", "0", "--reviewer", "command:true", "--coder"];
  const replaced = `rm ${programs}/[a-z]*-*.js; mv .git/quasar .git/was; : > .git/quasar`;
  const { status, stderr } = spawnSync(
    process.execPath,
    [join(programs, "main.js"), "run", "Work.", ...agents, `command:sh -c '${replaced}'`],
    { cwd: at.repo, env: at.env, encoding: "utf8" },
  );
  expect(status).toBe(1);
  expect(stderr).toMatch(/^error: .*ENOTDIR/mu);
  expect(stderr).toMatch(/^ {2}next {5}ls -ld /mu);
});

test("where HOME is a folder that cannot be made, each command comes back and says so", () => {
  const at = place();
  // Node's own ways to make it never end there.
  const env = { ...at.env, HOME: "/proc/none", XDG_CACHE_HOME: "" };
  const agents = ["--coder", "command:true", "--reviewer", "command:true"];
  const say = (name: string, ...args: string[]) =>
    spawnSync(
      process.execPath,
      [fileURLToPath(new URL(`../dist/${name}.js`, import.meta.url)), ...args],
      {
        ...{ cwd: at.repo, env, encoding: "utf8", timeout: 30_000 },
      },
    );
  expect(say("main", "status").stdout).toContain("no runs in this work tree yet");
  for (const ran of [
    say("main", "run", "Work.", ...agents),
    say("atlas", "start", "Work.", ...agents),
  ]) {
    expect(ran.status, ran.stderr).toBe(1);
    expect(ran.stderr).toMatch(/^error: .*\/proc\/none/mu);
    expect(ran.stderr).toMatch(/df -h \/(?:proc)? # a full or read-only disk\?/u);
  }
});
