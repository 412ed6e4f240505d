import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { execa } from "execa";
import { afterAll, beforeAll, expect, test } from "vitest";
import { root } from "../src/workspace.ts";

const scratch = mkdtempSync(join(tmpdir(), "quasar-install-"));
const release = join(scratch, "release");

beforeAll(() => execa("node", [join(root, "apps/cli/release/pack.ts"), release]));

afterAll(() => rmSync(scratch, { recursive: true }));

interface Home {
  /** Runs a command that is installed there, as a user does who has nothing else. */
  run(command: string, ...args: string[]): Promise<{ stdout: string; exitCode?: number }>;
  install(...tarballs: string[]): Promise<unknown>;
}

/** An empty home, whose npm asks no registry. */
function aHome(name: string): Home {
  const home = join(scratch, name);
  mkdirSync(home);
  const bin = join(home, "prefix/bin");
  const PATH = [bin, dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(":");
  const options = { cwd: home, env: { HOME: home, PATH }, extendEnv: false, reject: false };
  return {
    run: (command, ...args) => execa(join(bin, command), args, options),
    install: (...tarballs) => {
      const flags = ["--offline", "--no-audit", "--no-fund", "--loglevel=error"];
      const args = ["install", "--global", "--prefix", join(home, "prefix"), ...flags, ...tarballs];
      return execa("npm", args, { ...options, reject: true });
    },
  };
}

/** `[command, forwarder]` */
function tarballs(): readonly [string, string] {
  const names = readdirSync(release).map((name) => join(release, name));
  const isForwarder = (path: string): boolean => path.includes("quasar-command-");
  return [
    names.find((path) => !isForwarder(path)) ?? "",
    names.find((path) => isForwarder(path)) ?? "",
  ];
}

test("the command installs from its tarballs without a registry, and the demo passes", async () => {
  const home = aHome("home");
  await home.install(...tarballs());
  for (const command of ["quasar", "quasar-loop", "atlas"]) {
    const { stdout } = await home.run(command, "--version");
    expect(stdout, command).toMatch(/^\d+\.\d+\.\d+ \([0-9a-f]{10}\)$/u);
  }
  for (const command of ["quasar", "quasar-loop", "atlas"]) {
    const { stdout } = await home.run(command, "schema", "status");
    expect(JSON.parse(stdout), command).toMatchObject({
      $defs: { status_line: { type: "object" } },
    });
  }
  const demo = await home.run("quasar", "demo");
  expect(demo).toMatchObject({
    exitCode: 0,
    stdout: expect.stringContaining("approved after 2 cycles"),
  });
});

test("another package that owns `quasar` keeps it, and hinders nothing else", async () => {
  const other = join(scratch, "other");
  mkdirSync(other);
  const manifest = { name: "other", version: "1.0.0", bin: { quasar: "quasar.js" } };
  writeFileSync(join(other, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(other, "quasar.js"), "#!/usr/bin/env node\nconsole.log('the other')\n", {
    mode: 0o755,
  });
  const home = aHome("shared-home");
  await home.install(other);
  const [command, forwarder] = tarballs();
  await expect(home.install(forwarder)).rejects.toThrow(/EEXIST/u);
  await home.install(command);
  expect((await home.run("quasar")).stdout).toBe("the other");
  expect((await home.run("quasar-loop", "--help")).stdout).toContain("quasar run");
});

test("the forwarder says what it needs where it stands alone", async () => {
  const home = aHome("lonely-home");
  await home.install(tarballs()[1]);
  expect(await home.run("quasar", "--version")).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining("npm install -g <the file quasar-loop-"),
  });
});
