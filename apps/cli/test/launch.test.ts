import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test } from "vitest";

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
