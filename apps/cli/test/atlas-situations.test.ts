import { rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { atlasPlace, startAtlas } from "./atlas/harness.ts";
import { type Finished, type Place, write } from "./harness.ts";
import { agents, dearTurns, LONG, oneCycle } from "./scripts.ts";
import {
  working,
  withoutAgents,
  loggedOut,
  typed,
  failing,
  HOOK,
  hooked,
  withEditor,
  meet,
  type Situation,
  ignoringSignals,
  interruptTwice,
  canMount,
  onDisk,
  fill,
} from "./situations.ts";
import { advice } from "./typing.ts";

/** A task that needs nobody. */
const PATCH = 'atlas start "Write" --template patch --validate true';
const PATCH_ARGS = ["start", "Write", "--template", "patch", "--validate", "true"];

/** That the task comes to its end. */
async function completes(at: Place, line: string): Promise<void> {
  expect((await typed(at, line)).stdout).toMatch(/^completed$/mu);
}

/** That the step is tried again where the screen advises that, and the task then comes to its end. */
async function retries(at: Place, said: Finished): Promise<void> {
  const retried = await typed(at, advice(said, "atlas retry"));
  await completes(at, advice(retried, "atlas resume"));
}

const SITUATIONS: Readonly<Record<string, Situation>> = {
  "no agent is installed": {
    set: () => withoutAgents(atlasPlace()),
    typed: PATCH,
    code: 1,
    says: ["error: there is no program claude on the PATH"],
    then: async (said, at) => {
      await typed(at, advice(said, "npm install -g @anthropic-ai/claude-code"));
      await completes(at, PATCH);
    },
  },
  "the agent is not logged in": {
    set: () => loggedOut(atlasPlace()),
    typed: PATCH,
    code: 9,
    says: ["Not logged in · Please run /login"],
    then: async (said, at) => {
      await typed(at, "claude auth login");
      await retries(at, said);
    },
  },
  "the network is down": {
    set: () => working(atlasPlace(), failing("network", "getaddrinfo ENOTFOUND api.example.com")),
    typed: `${PATCH} --retries 0`,
    code: 9,
    says: ["because  getaddrinfo ENOTFOUND api.example.com"],
    then: async (said, at) => {
      agents(at, oneCycle());
      await retries(at, said);
    },
  },
  "a file gives a setting a value that it cannot have": {
    set: () => {
      const at = withEditor(working(atlasPlace()), "max_cycles = 4");
      write(at.home, { "config.toml": "max_cycles = 400\n" });
      return at;
    },
    typed: PATCH,
    code: 2,
    says: [/config\.toml:1:1: max_cycles must be a whole number from 1 to 100, not 400$/mu],
    then: async (said, at) => {
      await typed(at, advice(said, "${EDITOR:-vi} "));
      await completes(at, PATCH);
    },
  },
  "a command is misspelt": {
    set: () => working(atlasPlace()),
    typed: PATCH.replace("start", "strat"),
    code: 2,
    says: ["error: unknown command 'strat'"],
    then: async (said, at) => completes(at, advice(said, "atlas start ")),
  },
  "the budget is used up": {
    set: () => working(atlasPlace(), dearTurns("second")),
    typed: `${PATCH} --max-budget 3.5`,
    code: 4,
    says: ["of $3.50"],
    then: async (said, at) => completes(at, advice(said, "atlas resume ")),
  },
  "a git hook refuses the commit": {
    set: () => hooked(working(atlasPlace())),
    typed: PATCH,
    code: 9,
    says: ["the pre-commit hook refused the commit", "work.txt: 1 problem"],
    then: async (said, at) => {
      rmSync(join(at.repo, HOOK));
      const retried = await typed(at, advice(said, "atlas retry"));
      const changed = await typed(at, advice(retried, "atlas resume"), 9);
      expect(changed.stdout).toContain("git hook .git/hooks/pre-commit: removed");
      const accepted = await typed(at, advice(changed, "atlas retry --accept-settings"));
      await completes(at, advice(accepted, "atlas resume"));
    },
  },
};

test.for(Object.entries(SITUATIONS))(
  "where %s, the screen says what to type, and that works",
  async ([, situation]) => {
    const { at, said } = await meet(situation);
    expect(said.code, said.stdout + said.stderr).toBe(situation.code);
    await situation.then(said, at);
  },
);

test("a second atlas on a task while one works says how to stop that, and the task is resumed then", async () => {
  const at = working(atlasPlace(), oneCycle(LONG));
  const first = startAtlas(at, PATCH_ARGS);
  expect(await first.sees("coder    works")).toBe(true);
  const second = await typed(at, "atlas resume", 6);
  const status = await typed(at, advice(second, "atlas status"));
  await typed(at, advice(status, "kill -INT "));
  expect(await first.finished).toMatchObject({ code: 130 });
  agents(at, oneCycle());
  await completes(at, advice(await typed(at, "atlas status"), "atlas resume"));
});

test("a second Ctrl-C leaves atlas at once, and the screen says what resumes the task", async () => {
  const at = ignoringSignals(atlasPlace());
  const said = await interruptTwice(at, startAtlas(at, PATCH_ARGS));
  expect(said, said.stderr).toMatchObject({ code: 130 });
  const [, line = ""] =
    /^Stopped\. State as of the last save\. Next: (atlas .*)$/mu.exec(said.stderr) ?? [];
  await completes(at, line);
});

describe.runIf(canMount)("where the repository is on a disk of its own", () => {
  test("a full disk is named by atlas, and the task works once there is room", async () => {
    const at = onDisk(working(atlasPlace()));
    fill(at.disk);
    const said = await typed(at, PATCH, 1);
    expect(said.stderr).not.toContain("core.fsync");
    expect((await typed(at, advice(said, "df -h "))).stdout).toContain("100%");
    rmSync(join(at.disk, "fill"));
    await completes(at, PATCH);
  });
});
