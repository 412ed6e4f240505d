import { join } from "node:path";
import { expect, test } from "vitest";
import { atlas, atlasPlace } from "./atlas/harness.ts";
import { fakeClaude } from "./fake-claude.ts";
import { lastRecord, type Place, place, quasar, write } from "./harness.ts";

const FILES = { "a.txt": "one\n" };
const NEW = "claude-new-9";
const CODER = { model: NEW, runs: "echo two > a.txt" };
/** A turn of the fake's has 100 tokens of input and 10 of output: $0.04. */
const PRICE = `[prices."${NEW}"]\ninput = 200\noutput = 2000\nmax_output = 1000\ncontext = 1000\n`;

function priced(at: Place, toml: string): void {
  write(join(at.outside, "home", ".config", "quasar"), { "config.toml": toml });
}

async function costOf(at: Place): Promise<readonly unknown[]> {
  const { turns } = lastRecord(await quasar(at, ["cost", "--json"])) as {
    turns: readonly { role: string; spentUsd: number }[];
  };
  return turns.map(({ role, spentUsd }) => [role, spentUsd]);
}

test("a model without a price is named with the setting that gives it one", async () => {
  const at = place(FILES);
  const { env } = fakeClaude(at, { coder: [CODER] });
  const done = await quasar(at, ["run", "Write"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toContain(`no price is known for ${NEW}`);
  expect(done.stdout).toContain(`set [prices."${NEW}"] in your own configuration`);
});

test("a price of the user's own is on the start line, and what its turns cost is counted by it", async () => {
  const at = place(FILES);
  priced(at, PRICE);
  const { env } = fakeClaude(at, { coder: [CODER] });
  const done = await quasar(at, ["run", "Write"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toContain(
    `prices   yours, for a million tokens: ${NEW} $200.00 in, $2000.00 out`,
  );
  expect(done.stdout).not.toContain("no price is known");
  // The reviewer asks another model, and says itself what that costs.
  expect(await costOf(at)).toEqual([
    ["coder", 0.04],
    ["reviewer", 0.01],
  ]);
});

test("a turn is stopped by the user's price, and a resume takes the one that is there then", async () => {
  const at = place(FILES);
  priced(at, PRICE);
  const { env } = fakeClaude(at, { coder: [{ ...CODER, asks: 1e9 }] });
  const args = ["run", "Write", "--max-budget", "4", "--max-requests", "100000"];
  const done = await quasar(at, args, { env });
  expect(done.code, done.stdout + done.stderr).toBe(4);
  // What its review needs is kept.
  expect(done.stdout).toMatch(/This turn reached its limit \(\$2\.\d\d of \$4\.00\)\./u);
  priced(at, PRICE.replace("input = 200", "input = 0"));
  const [command = ""] = /resume \S+ --max-budget \S+/u.exec(done.stdout) ?? [];
  const resumed = await quasar(at, command.split(" "), { env });
  expect(resumed.stdout).toContain(`${NEW} $0.00 in, $2000.00 out`);
});

test("a run is refused whose first turn needs more than the budget by the user's price, and nothing is left of it", async () => {
  const at = place(FILES);
  priced(at, PRICE.replace("max_output = 1000", "max_output = 32000"));
  const { env, calls } = fakeClaude(at, { coder: [CODER] });
  const args = ["run", "Write", "--coder-model", NEW];
  const done = await quasar(at, args, { env });
  expect(done.code, done.stdout + done.stderr).toBe(4);
  expect(done.stderr).toMatch(/The coder's first turn needs at least \$128\.\d\d/u);
  expect(done.stdout).not.toContain("quasar run 2");
  expect((await quasar(at, ["list"])).stdout).toContain("no runs in this work tree yet");
  expect(calls()).toEqual([]);
  const [, needed = ""] = /quasar run --max-budget (\S+) "…"/u.exec(done.stderr) ?? [];
  await quasar(at, [...args, "--max-budget", needed], { env });
  expect(calls()).not.toEqual([]);
});

test("a repository's prices are ignored, and that is said", async () => {
  const at = place({ ...FILES, ".quasar/config.toml": PRICE });
  const { env } = fakeClaude(at, { coder: [CODER] });
  const done = await quasar(at, ["run", "Write"], { env });
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stderr).toContain("prices is ignored here: set it in your own configuration");
  expect(done.stdout).toContain(`no price is known for ${NEW}`);
});

test("atlas takes prices from the user's own settings, at each start and resume", async () => {
  const at = atlasPlace(FILES);
  write(at.home, { "config.toml": PRICE });
  const { env } = fakeClaude(at, { coder: [CODER] });
  const args = ["start", "Write", "--template", "patch", "--validate", "true"];
  const done = await atlas(at, args, { env });
  expect(done.code, done.stdout + done.stderr).toBe(0);
  expect(done.stdout).toContain(`${NEW} $200.00 in, $2000.00 out`);
  expect(done.stdout).not.toContain("no price is known");
});
