import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, applyArgs, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { git, lastRecord, quasar, start, write } from "./harness.ts";

test("show says what a nebula is, and all of a phase: its text, attempts, changes and question", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  const nebula = lastRecord(await quasar(at, ["nebula", "show", "--json"]));
  expect(nebula).toMatchObject({
    type: "nebula_show",
    nebula: "demo",
    mergeOrder: "ready",
    pauseEnds: [],
    phases: [
      { phaseId: "one", status: "done", title: "Phase one", dependsOn: [] },
      { phaseId: "two", status: "awaiting_human", title: "Phase two", dependsOn: ["one"] },
    ],
  });
  const id = nebula["nebulaId"] as string;
  await quasar(at, ["nebula", "reject", "two", "--reason", "keep the old flag"]);
  const again = workOf("two").map((turn) => ({ ...turn, files: { "two.txt": "2\n" } }));
  const end = await quasar(at, [...applyArgs(at, again), "--resume"]);
  expect(end.code, end.stderr).toBe(5);
  const phase = lastRecord(await quasar(at, ["nebula", "show", "two", "--json"]));
  expect(phase).toMatchObject({
    type: "nebula_phase",
    phaseId: "two",
    text: "Do two.",
    gate: "review",
    question: "land",
    runs: [
      { attempt: 1, status: "approved", cycle: 1, spentUsd: 0.2, reasons: [] },
      {
        attempt: 2,
        status: "approved",
        reasons: ["rejected by a person: keep the old flag"],
      },
    ],
    files: [{ path: "two.txt", added: 1, removed: 0 }],
  });
  expect(phase["next"]).toContain(`quasar nebula approve two --nebula ${id}`);
  const text = (await quasar(at, ["nebula", "show", "demo", "two"])).stdout;
  expect(text).toContain("phase two of the nebula demo waits\n");
  expect(text).toContain("why      attempt 2: rejected by a person: keep the old flag\n");
  expect(text).toContain("           Do two.\n");
  expect((await quasar(at, ["nebula", "show", "nothing"])).code).toBe(2);
  expect((await quasar(at, ["nebula", "show", "demo", "nothing"])).code).toBe(2);
});

test("pause and continue hold a nebula between turns, from any shell", async () => {
  const at = withDemo();
  const turns = workOf("one", "two");
  const slow = turns.map((turn) => ({ ...turn, delayMs: turn.role === "coder" ? 3000 : 0 }));
  const working = start(at, [...applyArgs(at, slow), "--json"]);
  expect(await working.sees('"type":"agent_start"')).toBe(true);
  const paused = await quasar(at, ["nebula", "pause", "--json"]);
  const { nebulaId: id, next } = lastRecord(paused) as { nebulaId: string; next: string[] };
  expect(next).toEqual([`quasar nebula continue ${id}`]);
  expect(await working.sees('"type":"committed"')).toBe(true);
  const status = await quasar(at, ["nebula", "status"]);
  expect(status.stdout).toContain(`paused   until quasar nebula continue ${id}\n`);
  expect(status.stdout).toContain(`next     quasar nebula continue ${id}\n`);
  // No screen advises to resume what an engine works on.
  expect(lastRecord(await quasar(at, ["nebula", "continue", "--json"]))).toMatchObject({
    isPaused: false,
    next: [`quasar nebula log ${id} --follow`, `quasar nebula stop ${id}`],
  });
  await quasar(at, ["nebula", "pause"]);

  writeFileSync(join(at.repo, DEMO, "PAUSE"), "");
  const both = await quasar(at, ["nebula", "continue", "--json"]);
  const file = join(at.repo, DEMO, "PAUSE");
  expect(lastRecord(both)).toMatchObject({ exit: 5, next: [`rm ${file}`] });
  expect(existsSync(file)).toBe(true);
  rmSync(file);
  const end = await working.finished;
  expect(end.code).toBe(5);
  expect(end.stdout).toContain('"what":"engine_continues"');
  expect((await quasar(at, ["nebula", "continue"])).code).toBe(8);
  const agent = await quasar(at, ["nebula", "pause"], { env: { QUASAR_RUN_ID: "r" } });
  expect(agent.code).toBe(6);
});

test("update hands over to an engine that works what is trusted of the folder", async () => {
  const at = withDemo();
  const slow = workOf("one", "two", "three").map((turn) => ({ ...turn, delayMs: 2000 }));
  const working = start(at, [...applyArgs(at, slow), "--json"]);
  expect(await working.sees('"type":"agent_start"')).toBe(true);
  write(join(at.repo, DEMO), {
    "1.md": phaseText("one").replace("Do one.", "Do one. Do it well."),
    "3.md": phaseText("three", 'setup = ["touch ../set-up"]'),
  });
  const refused = await quasar(at, ["nebula", "update", DEMO, "--json"]);
  expect(lastRecord(refused)).toMatchObject({ exit: 6, code: "ERR_UNTRUSTED_CONFIG" });
  const left = await quasar(at, ["nebula", "update", DEMO, "--trust-config"]);
  expect(left.stdout).toContain(`nebula demo changes (its engine takes it within a second):
  one      has begun: its agents get the new text in their next cycle, unless this one is approved
  three    joins
`);
  expect(await working.sees('"nebula_updated"')).toBe(true);
  const { stdout: shown } = await quasar(at, ["nebula", "show", "one"]);
  expect(shown).toContain(`
  what its agents are asked (1.md):
           Do one.

  its new text waits for their next cycle, which comes unless this one is approved:
           Do one. Do it well.
`);
  const facts = lastRecord(await quasar(at, ["nebula", "show", "one", "--json"]));
  expect(facts).toMatchObject({ text: "Do one.", nextText: "Do one. Do it well." });
  const end = await working.finished;
  expect(end.stdout).toContain('"what":"nebula_updated"');
  expect(end.stdout).toContain('"isOutdated":true');
  expect(lastRecord(end)).toMatchObject({
    phases: [{}, { phaseId: "three", status: "done" }, {}],
    exit: 5,
  });
});

test("update-base merges what main has by now, and says which paths conflict", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  git(at, "config", "user.name", "Test");
  git(at, "config", "user.email", "test@localhost");
  const nothing = await quasar(at, ["nebula", "update-base", "--json"]);
  expect(lastRecord(nothing)).toMatchObject({ exit: 8, code: "ERR_NOTHING_TO_RESUME" });
  const onMain = (files: Readonly<Record<string, string>>): void => {
    write(at.repo, files);
    git(at, "add", ...Object.keys(files));
    git(at, "commit", "-q", "-m", "On main");
  };
  onMain({ "m.txt": "m\n" });
  const landed = await quasar(at, ["nebula", "update-base", "--json"]);
  expect(landed.stdout).toContain('"what":"phase_landed","phaseId":"base-1"');
  expect(lastRecord(landed)).toMatchObject({ reason: "landed", exit: 0 });
  // It is no phase of work.
  const { stdout: status } = await quasar(at, ["nebula", "status"]);
  expect(status).toContain("demo: 1 of 2 phases landed on nebula/demo");
  expect(git(at, "log", "--first-parent", "--format=%s", "-1", "nebula/demo")).toMatch(
    /^Land base-1: Merge main \([0-9a-f]{10}\)$/u,
  );

  onMain({ "one.txt": "main\n" });
  const sha = git(at, "rev-parse", "main");
  const conflict = await quasar(at, ["nebula", "update-base", "main"]);
  expect(conflict.code).toBe(5);
  expect(conflict.stdout).toContain("base-2: it could not land: [merge] one.txt: CONFLICT");
  const shown = lastRecord(await quasar(at, ["nebula", "show", "base-2", "--json"]));
  const again = `quasar nebula update-base ${sha.slice(0, 10)} --with-agent`;
  expect((shown["next"] as string[])[0]).toBe(`${again} --nebula ${shown["nebulaId"] as string}`);

  git(at, "switch", "-q", "--orphan", "other");
  git(at, "commit", "-q", "--allow-empty", "-m", "Other");
  const other = await quasar(at, ["nebula", "update-base", "--json"]);
  const message = "other does not contain its base: name what is to be merged";
  expect(lastRecord(other)).toMatchObject({ exit: 6, message });
});
