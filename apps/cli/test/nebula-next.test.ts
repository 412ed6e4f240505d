import { execFileSync } from "node:child_process";
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { applyArgs, DEMO, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { git, lastRecord, type Place, quasar, start } from "./harness.ts";
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
