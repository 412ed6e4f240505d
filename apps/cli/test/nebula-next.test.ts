import { execFileSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyArgs, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { git, lastRecord, type Place, quasar, start, write } from "./harness.ts";
import { agents, issue, type Turn } from "./scripts.ts";

// Each command that `next` names is typed in the situation that it is named in, which is put back after each.

const manifest = (keys = "") => `[nebula]\nname = "demo"\n[execution]\n${keys}\n`;
/** Milliseconds in which an engine can be killed, and after which a resume finds the turn at its end. */
const SHORT = 4000;
const ONCE = "max_review_cycles = 1";
const failing = (...ids: readonly string[]): readonly Turn[] =>
  ids.map((id) => ({ role: "reviewer", match: `Do ${id}.`, text: issue("No."), costUsd: 0.1 }));

interface Situation {
  readonly files: Readonly<Record<string, string>>;
  readonly turns: readonly Turn[];
  /** What a person does once the nebula has stopped. */
  readonly then?: (at: Place) => Promise<unknown> | void;
  /** What is named, by the nebula's id. */
  readonly next: (id: string) => readonly string[];
}

const ENDED = { "nebula.toml": manifest(), "1.md": phaseText("one") };
const TWO_FAILED = {
  "nebula.toml": manifest("max_workers = 1"),
  "1.md": phaseText("one", ONCE),
  "2.md": phaseText("two", ONCE),
};
const failedSteps = (id: string, ...phases: readonly string[]) =>
  phases.flatMap((phase) => [
    `quasar nebula show ${id} ${phase}`,
    `quasar nebula retry ${phase} --nebula ${id}   # with an unchanged text it may fail again`,
  ]);

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "two phases have failed, and nothing has landed": {
    files: TWO_FAILED,
    turns: [...failing("one", "two"), ...workOf("one", "two")],
    next: (id) => [...failedSteps(id, "one", "two"), `quasar nebula prune ${id} --with-failed`],
  },
  "one has failed, and what landed is merged": {
    files: TWO_FAILED,
    turns: [...failing("two"), ...workOf("one", "two")],
    then: (at) => merge(at),
    next: (id) => [...failedSteps(id, "two"), "git log --first-parent nebula/demo"],
  },
  "all has landed": {
    files: ENDED,
    turns: workOf("one"),
    next: () => ["git merge nebula/demo", "git log --first-parent nebula/demo"],
  },
  "all has landed and is merged": {
    files: ENDED,
    turns: workOf("one"),
    then: (at) => merge(at),
    next: (id) => [`quasar nebula prune ${id}`],
  },
  "all has landed, and the branch is gone": {
    files: ENDED,
    turns: workOf("one"),
    then: (at) => void git(at, "branch", "-D", "nebula/demo"),
    next: (id) => [`quasar nebula prune ${id}`],
  },
  "a change waits for a person": {
    files: { "nebula.toml": manifest('gate = "review"'), "1.md": phaseText("one") },
    turns: workOf("one"),
    next: (id) => [
      `quasar nebula diff one --nebula ${id} --landed`,
      `quasar nebula approve one --nebula ${id}`,
      `quasar nebula reject one --nebula ${id} --reason "…"`,
    ],
  },
  "a plan waits for a person, and its folder is gone": {
    files: { "nebula.toml": manifest('gate = "approve"'), "1.md": phaseText("one") },
    turns: workOf("one"),
    then: (at) => rmSync(join(at.repo, DEMO), { recursive: true }),
    next: (id) => [
      `quasar nebula plan ${id}`,
      `quasar nebula approve --nebula ${id}`,
      `quasar nebula reject --nebula ${id} --reason "what is wrong"`,
    ],
  },
  "a phase that has failed has another text": {
    files: { "nebula.toml": manifest(), "1.md": phaseText("one", ONCE) },
    turns: [...failing("one"), ...workOf("one")],
    then: async (at) => {
      const path = join(at.repo, DEMO, "1.md");
      execFileSync("sed", ["-i.bak", "s/Do one/Do one, better/", path]);
      const updated = lastRecord(await quasar(at, ["nebula", "update", DEMO, "--json"]));
      const { next } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
      expect(updated["next"]).toEqual(next);
    },
    next: (id) => [...failedSteps(id, "one"), `quasar nebula prune ${id} --with-failed`],
  },
  "a turn was cut off, and a person has paused it": {
    files: ENDED,
    turns: workOf("one").map((turn) => ({ ...turn, says: ["I begin."], delayMs: SHORT })),
    then: (at) => quasar(at, ["nebula", "pause"]),
    next: (id) => [`quasar nebula continue ${id}`, `quasar nebula apply ${id} --auto --resume`],
  },
};

function merge(at: Place): void {
  git(at, "-c", "user.name=Test", "-c", "user.email=t@localhost", "merge", "-q", "nebula/demo");
}

/** The words of a command line, without the note behind it. */
function wordsOf(command: string): readonly string[] {
  const [line = ""] = command.split("   # ");
  return [...line.matchAll(/"([^"]*)"|(\S+)/gu)].map(([, quoted, word = ""]) => quoted ?? word);
}

async function type(at: Place, command: string): Promise<void> {
  const [program, ...words] = wordsOf(command);
  if (program === "git") {
    git(at, "-c", "user.name=Test", "-c", "user.email=t@localhost", ...words);
    return;
  }
  const isApply = words[1] === "apply";
  const script = isApply ? agents(at, workOf("one", "two")) : [];
  const { code, stderr } = await quasar(at, [...words, ...script]);
  expect(code, command + stderr).toBe(0);
}

test.for(Object.entries(SITUATIONS))(
  "what next names works where %s",
  { timeout: 240_000 },
  async ([, { files, turns, then, next: nextOf }]) => {
    const at = withDemo(files);
    const working = start(at, [...applyArgs(at, turns), "--json"]);
    if (turns.some(({ delayMs }) => delayMs === SHORT)) {
      expect(await working.sees("I begin.")).toBe(true);
      working.child.kill("SIGKILL");
    }
    await working.finished;
    await then?.(at);
    const { next, nebulaId } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
    expect(next).toEqual(nextOf(String(nebulaId)));
    const copy = `${at.outside}.copy`;
    const put = (from: string, to: string) => {
      rmSync(to, { recursive: true, force: true });
      cpSync(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    };
    put(at.outside, copy);
    try {
      for (const command of next as readonly string[]) {
        // A resume of what a person has paused waits for them.
        if (command.includes("--resume")) await quasar(at, ["nebula", "continue"]);
        await type(at, command);
        put(copy, at.outside);
      }
    } finally {
      rmSync(copy, { recursive: true, force: true });
    }
  },
);

test("what next names where a commit was refused lands what a person fixes, and no coder works again", async () => {
  const at = withDemo({ "nebula.toml": manifest(), "1.md": phaseText("one") });
  const hook = `#!/bin/sh\ngit grep --cached -q one -- one.txt || exit 0\necho "one.txt:1: trailing space" >&2\nexit 1\n`;
  write(at.repo, { ".git/hooks/pre-commit": hook });
  chmodSync(join(at.repo, ".git/hooks/pre-commit"), 0o755);
  const stopped = await quasar(at, [...applyArgs(at, workOf("one")), "--max-lint-retries", "0"]);
  expect(stopped.code).toBe(3);
  const why = "the pre-commit hook refused the commit (exit code 1)";
  const tried = "; the coder has tried to fix it 0 of 0 times: one.txt:1: trailing space\n";
  const failed = `one: ${why}${tried}`;
  expect(stopped.stdout).toContain(failed);
  expect((await quasar(at, ["nebula", "status"])).stdout).toContain(failed);
  expect((await quasar(at, ["nebula", "log"])).stdout).toContain(`failed: ${why}${tried}`);
  const { next, nebulaId, phases } = lastRecord(await quasar(at, ["nebula", "status", "--json"]));
  const id = String(nebulaId);
  const [, tree = ""] = /^cd (\S+) /u.exec((next as readonly string[])[1] ?? "") ?? [];
  const retry = `quasar nebula retry one --nebula ${id}`;
  const fixing = [
    `cd ${tree}   # its files, not committed: fix what refused them`,
    `${retry}   # the commit is tried first`,
  ];
  const show = `quasar nebula show ${id} one`;
  expect(next).toEqual([show, ...fixing, `quasar nebula prune ${id} --with-failed`]);
  const shown = lastRecord(await quasar(at, ["nebula", "show", id, "one", "--json"]));
  expect((shown["next"] as readonly string[]).slice(0, 2)).toEqual(fixing);

  const [{ runIds }] = phases as [{ runIds: readonly [string] }];
  const refused = lastRecord(await quasar(at, ["resume", runIds[0], "--json"]));
  expect(refused).toMatchObject({
    message: `run ${runIds[0]} is of the phase one of the nebula demo, which alone continues it`,
  });
  const planned = lastRecord(await quasar(at, ["nebula", "plan", DEMO, "--json"]));
  expect((planned["next"] as readonly string[])[0]).toMatch(`quasar nebula status ${id}   # `);

  expect(existsSync(tree)).toBe(true);
  write(tree, { "one.txt": "1\n" });
  const retried = lastRecord(await quasar(at, [...wordsOf(retry).slice(1), "--json"]));
  expect(retried["next"]).toEqual([`quasar nebula apply ${id} --auto --resume`]);
  const [resume = ""] = retried["next"] as readonly string[];
  const coder: Turn = { role: "coder", text: "Again.", files: { "one.txt": "one\n" }, costUsd: 3 };
  const [, approval] = workOf("one");
  const turns = [coder, ...(approval === undefined ? [] : [approval])];
  const done = await quasar(at, [...wordsOf(resume).slice(1), ...agents(at, turns), "--json"]);
  expect(lastRecord(done)).toMatchObject({ exit: 0, spentUsd: expect.closeTo(0.2) as number });
  expect(git(at, "show", "nebula/demo:one.txt")).toBe("1");
});
