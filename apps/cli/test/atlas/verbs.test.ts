import { existsSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git, records, write } from "../harness.ts";
import {
  atlas,
  atlasJson,
  atlasPlace,
  FIX,
  reviewed,
  scripted,
  VALIDATED,
  workTreeOf,
} from "./harness.ts";

test("list, log, diff and cost show a task as quasar shows a run", async () => {
  const at = atlasPlace();
  await reviewed(at);
  const list = await atlas(at, ["list"]);
  expect(list.stdout).toMatch(/awaiting_human/u);
  expect((await atlas(at, ["status", "--all"])).stdout).toMatch(/awaiting_human/u);

  const log = await atlas(at, ["log"]);
  expect(log.code).toBe(0);
  expect(log.stdout).toMatch(/^\d\d:\d\d:\d\d {2}step 1 of \d/mu);
  expect(log.stdout).toMatch(/^\d\d:\d\d:\d\d {4}waits /mu);
  const lines = records((await atlas(at, ["log", "--json"])).stdout);
  expect(lines.at(0)).toMatchObject({ v: 1, type: "task_started" });

  write(workTreeOf(at), { "later.txt": "not committed\n" });
  const diff = await atlas(at, ["diff"]);
  expect(diff.stdout).toContain("+not committed");
  expect(diff.stdout).toContain("work.txt");
  const stat = await atlasJson(at, ["diff", "--stat"]);
  expect(stat).toMatchObject({ code: 0, type: "diff" });
  expect(stat["files"]).toContainEqual({ path: "later.txt", added: 1, removed: 0 });

  const cost = await atlas(at, ["cost"]);
  expect(cost.stdout).toMatch(/coder .*\$\d/u);
  expect(await atlasJson(at, ["cost"])).toMatchObject({ code: 0, type: "cost", v: 1 });
});

test("show tells all of a task, and what an agent did in one of its turns", async () => {
  const at = atlasPlace();
  const turns = FIX.map((turn) => ({ ...turn, says: [`The ${turn.role} reads`] }));
  const args = ["start", "fix null pointer in config", "--template", "bugfix", ...VALIDATED];
  expect((await atlas(at, [...args, ...scripted(at, turns)])).code).toBe(9);
  const { code, stdout } = await atlas(at, ["show"]);
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}analyze +The cause is found\.$/mu);
  expect(stdout).toMatch(/^ {2}implement-1 +2 +reviewer +1 .*\$0\.10 /mu);
  const [, command = "", turn = ""] = /^ {2}turn +atlas (show \S+ (\S+)) /mu.exec(stdout) ?? [];
  expect(turn).toBe("implement-1.2");

  const shown = await atlasJson(at, ["show"]);
  expect(shown).toMatchObject({ code: 0, type: "show", spentUsd: 0.4, state: "awaiting_human" });
  expect(shown["runs"]).toMatchObject([
    { name: "analyze-1", isFinished: true, turns: [{ role: "coder" }] },
    { name: "implement-1", turns: [{ role: "coder" }, { role: "reviewer", spentUsd: 0.1 }] },
  ]);

  expect((await atlas(at, command.split(" "))).stdout).toContain("The reviewer reads");
  const coder = await atlas(at, ["show", "implement-1.1"]);
  expect(coder.stdout).toMatch(/^turn 1: coder, cycle 1, done, /u);
  expect(coder.stdout).toContain("The coder reads");
  const told = await atlasJson(at, ["show", "implement-1.1"]);
  expect(told).toMatchObject({ type: "turn", runName: "implement-1", isKept: true });
  const { turnId } = told["turn"] as { readonly turnId: string };
  expect(await atlasJson(at, ["show", turnId])).toEqual(told);

  expect((await atlas(at, ["complete", "--", "show", "ana"])).stdout).toBe(
    "analyze-1.1\tcoder, cycle 1, done\n",
  );
  const missing = await atlas(at, ["show", "implement-1.9"]);
  expect(missing.code).toBe(2);
  expect(missing.stderr).toMatch(/has no turn implement-1\.9\n.*next +atlas show task-/u);
});

test("config shows each setting and where it is set", async () => {
  const at = atlasPlace();
  write(at.repo, { ".atlas/config.toml": "max_cycles = 4\n" });
  const { code, stdout } = await atlas(at, ["config"], { env: { ATLAS_RETRIES: "1" } });
  expect(code).toBe(0);
  expect(stdout).toMatch(/^ {2}max_cycles +4 +\S+config\.toml:1:1$/mu);
  expect(stdout).toMatch(/^ {2}retries +1 +ATLAS_RETRIES$/mu);
});

test("settings that are not committed yet stop no task in its own work tree, and are in none of its commits", async () => {
  const at = atlasPlace();
  await atlas(at, ["init"]);
  expect(git(at, "status", "--porcelain", "-uall")).toBe(
    "?? .atlas/.gitignore\n?? .atlas/config.toml",
  );
  const started = await atlas(at, [
    "start",
    "Fix it",
    "--here",
    "--use-local",
    "--template",
    "bugfix",
    ...scripted(at, FIX),
  ]);
  expect(started.stderr).not.toContain("not committed");
  expect(git(at, "log", "--name-only", "--format=").split("\n")).not.toContain(
    ".atlas/config.toml",
  );
  expect(existsSync(join(at.repo, ".atlas/config.toml"))).toBe(true);
});

test("recover without a terminal says that nothing was chosen, and how to choose", async () => {
  const at = atlasPlace();
  await reviewed(at);
  const { code, stderr } = await atlas(at, ["recover"]);
  expect(code).toBe(9);
  expect(stderr).toMatch(/nothing was chosen/u);
  const [, flags = ""] = /next +atlas (recover.* --apply )</u.exec(stderr) ?? [];
  expect((await atlas(at, [...flags.trim().split(" "), "reject", "--feedback", "more"])).code).toBe(
    0,
  );
});
