import { expect, test } from "vitest";
import { atlas, atlasPlace } from "./atlas/harness.ts";
import { fakeClaude } from "./fake-claude.ts";
import { type Finished, git, lastRecord, place, quasar } from "./harness.ts";

const FILES = { "a.txt": "one\n" };
const ENDLESS = 1e9;

/** How many requests a turn is said to have made that was stopped for them. */
function madeBy({ stdout }: Finished): number {
  const [, made] = /made (\d+) requests, more than one turn may make/u.exec(stdout) ?? [];
  return Number(made);
}

test("a turn that never stops asking ends at --max-requests with 4, and a resume keeps the bound until more is allowed", async () => {
  const at = place(FILES);
  const { env, calls } = fakeClaude(at, { coder: [{ asks: ENDLESS }] });
  const done = await quasar(at, ["run", "Write", "--max-requests", "5"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(4);
  const made = madeBy(done);
  expect(made).toBeGreaterThan(5);
  expect(done.stdout).toMatch(/quasar log \S+ +# what the agent did; a hook of yours may keep/u);
  const [command = ""] = /quasar resume \S+ --max-requests \d+/u.exec(done.stdout) ?? [];
  expect(command).toMatch(new RegExp(` ${2 * (made - 1)}$`, "u"));
  expect((await quasar(at, ["status"], { env })).stdout).toContain(command);

  const kept = await quasar(at, ["resume"], { env });
  expect(kept.code, kept.stdout + kept.stderr).toBe(4);
  expect(madeBy(kept)).toBeLessThan(200);

  fakeClaude(at, { coder: [{ asks: 40, runs: "echo two > a.txt" }] });
  const more = await quasar(at, ["resume", "--max-requests", "50"], { env });
  expect(more.code, more.stdout + more.stderr).toBe(0);
  expect(git(at, "show", "HEAD:a.txt")).toBe("two");
  expect(calls()).toHaveLength(4);
});

test("a turn is held to 200 requests where nobody says anything", async () => {
  const at = place(FILES);
  const { env } = fakeClaude(at, { coder: [{ asks: ENDLESS }] });
  const done = await quasar(at, ["run", "Write", "--json"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(4);
  const { message } = lastRecord(done);
  const [, made] = /made (\d+) requests/u.exec(String(message)) ?? [];
  expect(Number(made)).toBeGreaterThan(200);
});

test("atlas holds the turns of its steps to --max-requests, and names the flag", async () => {
  const at = atlasPlace(FILES);
  const { env } = fakeClaude(at, { coder: [{ asks: ENDLESS }] });
  const args = ["start", "Write", "--template", "patch", "--validate", "true"];
  const done = await atlas(at, [...args, "--max-requests", "5"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(9);
  const made = madeBy(done);
  expect(made).toBeGreaterThan(5);
  expect(done.stdout.replaceAll(/\s+/gu, " ")).toContain(
    `then atlas retry, and atlas resume --max-requests ${2 * (made - 1)})`,
  );
  fakeClaude(at, { coder: [{ asks: 40, runs: "echo two > a.txt" }] });
  expect((await atlas(at, ["retry"], { env })).code).toBe(0);
  const more = await atlas(at, ["resume", "--max-requests", "50"], { env });
  expect(more.code, more.stdout + more.stderr).toBe(0);
});
