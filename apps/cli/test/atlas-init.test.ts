import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { insertAgentText } from "@quasar/hookfile/hook-md";
import { expect, test } from "vitest";
import { ATLAS, atlas, atlasJson, type AtlasPlace, atlasPlace } from "./atlas/harness.ts";
import { git, write } from "./harness.ts";

const AGENT_TEXT = insertAgentText("");

const read = (dir: string, name: string): string => readFileSync(join(dir, name), "utf8");

// SPEC.md, statements 159, 160, 161, 162, 163, 164, 226.
test("init adds how an agent finds its task to CLAUDE.md and AGENTS.md, once, and changes nothing else in them", async () => {
  const at = atlasPlace({ "CLAUDE.md": "# Ours\n\nUse tabs.\n", "AGENTS.md": "# Too\r\n" });
  const added = await atlas(at, ["init", "--yes"]);
  expect(added.code, added.stderr).toBe(0);
  expect(added.stdout).toMatch(/^ {2}file {5}CLAUDE\.md: added$/mu);
  const text = read(at.repo, "CLAUDE.md");
  expect(text.startsWith("# Ours\n\nUse tabs.\n")).toBe(true);
  expect(text).toContain(AGENT_TEXT);
  expect(read(at.repo, "AGENTS.md")).toContain(AGENT_TEXT.replaceAll("\n", "\r\n"));

  const again = await atlasJson(at, ["init", "--yes"]);
  expect(again).toMatchObject({
    code: 0,
    created: [],
    instructed: [
      { file: "CLAUDE.md", how: "there already" },
      { file: "AGENTS.md", how: "there already" },
    ],
  });
  expect(read(at.repo, "CLAUDE.md")).toBe(text);
});

test("nothing is added that nobody has agreed to, and init says how to", async () => {
  const at = atlasPlace({ "CLAUDE.md": "# Ours\n" });
  const { code, stdout } = await atlas(at, ["init"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/CLAUDE\.md: not added\n/u);
  expect(stdout).toContain("atlas init --yes # adds it");
  expect(read(at.repo, "CLAUDE.md")).toBe("# Ours\n");
  expect(git(at, "status", "--porcelain")).toBe("?? .atlas/");
});

test("without either file there is one for the agents that are here; a link is left alone", async () => {
  const at = atlasPlace();
  // Whatever agents the machine has, here is only git.
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  symlinkSync(
    execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim(),
    `${bin}/git`,
  );
  expect(await atlasJson(at, ["init", "--yes"], { env: { PATH: bin } })).toMatchObject({
    instructed: [{ file: "AGENTS.md", how: "added" }],
  });
  expect(statSync(join(at.repo, "AGENTS.md")).mode & 0o777).toBe(0o644);
  expect(existsSync(join(at.repo, "CLAUDE.md"))).toBe(false);

  const linked = atlasPlace();
  write(linked.outside, { "mine.md": "mine\n" });
  symlinkSync(join(linked.outside, "mine.md"), join(linked.repo, "CLAUDE.md"));
  expect(await atlasJson(linked, ["init", "--yes"])).toMatchObject({
    instructed: [{ file: "CLAUDE.md", how: "not ours to change" }],
  });
  expect(read(linked.outside, "mine.md")).toBe("mine\n");
});

/** Answers the question of `atlas` on a terminal of its own. */
async function answered(at: AtlasPlace, args: readonly string[], answer: string): Promise<string> {
  const command = [process.execPath, ATLAS, ...args].map((word) => `'${word}'`).join(" ");
  const words = ["-qec", command, "/dev/null"];
  const terminal = spawn("script", words, { cwd: at.repo, env: at.env });
  let shown = "";
  terminal.stdout.on("data", (chunk: Buffer) => {
    const wasAsked = shown.includes("[y/N] ");
    shown += chunk.toString();
    if (!wasAsked && shown.includes("[y/N] ")) terminal.stdin.write(answer);
  });
  await once(terminal, "close");
  return shown;
}

// SPEC.md, statements 159.
test("on a terminal init offers to add it, and silence is no", async () => {
  const at = atlasPlace({ "CLAUDE.md": "# Ours\n" });
  expect(await answered(at, ["init"], "\r")).toContain(
    "Add to CLAUDE.md how an agent finds its task after a crash? [y/N]",
  );
  expect(read(at.repo, "CLAUDE.md")).toBe("# Ours\n");
  await answered(at, ["init"], "y\r");
  expect(read(at.repo, "CLAUDE.md")).toContain(AGENT_TEXT);
});
