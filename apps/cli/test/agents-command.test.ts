import { chmodSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { AGENT_PRESETS } from "@quasar/agents/presets";
import { expect, test } from "vitest";
import { atlas, atlasJson, atlasPlace } from "./atlas/harness.ts";
import { emptyPlace, git, lastRecord, type Place, place, quasar, write } from "./harness.ts";
import { linksTo } from "./typing.ts";

/** A place whose PATH has these agents, and nothing else but git and node. */
function withAgents<P extends Place>(at: P, programs: readonly string[]): P {
  const bin = linksTo(join(at.outside, "bin"), ["node", "git", "sh"]);
  for (const program of programs) {
    write(bin, { [program]: `#!/bin/sh\n[ "$1" = --version ] && echo "${program} 1.2.3"\n` });
    chmodSync(join(bin, program), 0o755);
  }
  return { ...at, env: { ...at.env, PATH: bin } };
}

const ALL: readonly string[] = AGENT_PRESETS.map(({ program }) => program);
const NONE: readonly string[] = [];
const [FIRST = expect.unreachable("no agent is known")] = AGENT_PRESETS;

test.for([
  ["none", NONE],
  ["one", ALL.slice(-1)],
  ["all", ALL],
] as const)(
  "both commands list the agents where %s of them are installed",
  async ([, programs]) => {
    const at = withAgents(emptyPlace(), programs);
    const done = await quasar(at, ["agents", "--json"]);
    expect(done.code, done.stderr).toBe(0);
    const { agents } = lastRecord(done) as { agents: readonly Record<string, unknown>[] };
    const installed = agents.filter(({ isInstalled }) => isInstalled === true);
    expect(installed.map(({ name, version }) => [name, version])).toEqual(
      programs.map((program) => [program, "1.2.3"]),
    );
    expect(agents.slice(0, installed.length)).toEqual(installed);
    expect(new Set(agents.map(({ name }) => name))).toEqual(new Set(ALL));
    const ofAtlas = await atlasJson(withAgents(atlasPlace(), programs), ["agents"]);
    expect(ofAtlas).toMatchObject({ type: "agents", agents });
  },
);

test("a user's own agents are listed with where they are set, and one that is wrong is named", async () => {
  const at = withAgents(emptyPlace(), [FIRST.program]);
  const config = join(at.outside, "home/.config/quasar");
  write(config, { "config.toml": '[agent.mine]\ncommand = "goose run"\npass_env = ["KEY"]\n' });
  const env = { XDG_CONFIG_HOME: join(at.outside, "home/.config") };
  const listed = await quasar(at, ["agents", "--json"], { env });
  const from = `${join(config, "config.toml")}:1:8`;
  expect(lastRecord(listed)).toMatchObject({
    ownAgents: [{ name: "mine", kind: "command", command: "goose run", passEnv: ["KEY"], from }],
  });
  const screen = await quasar(at, ["agents"], { env });
  expect(screen.stdout).toContain(`mine     command:goose run   (${from})`);
  expect(screen.stdout).toContain(FIRST.name);
  write(config, { "config.toml": `[agent.${FIRST.name}]\ncommand = "evil"\n` });
  const refused = await quasar(at, ["agents"], { env });
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("agent must be a table for each agent of your own");
});

test("an unknown agent is refused in each command with those that there are", async () => {
  const at = withAgents(atlasPlace(), []);
  const run = await quasar(at, ["run", "x", "--coder", "cluade", "--json"]);
  expect(run.code).toBe(2);
  expect(lastRecord(run)).toMatchObject({
    code: "ERR_USAGE",
    message: expect.stringContaining('--coder: there is no agent "cluade"; did you mean "claude"?'),
    next: ["quasar agents"],
  });
  const started = await atlas(at, ["start", "x", "--reviewer", "nobody"]);
  expect(started.code).toBe(2);
  expect(started.stderr).toMatch(/--reviewer: there is no agent "nobody"\.[^]*atlas agents/u);
});

/** What of a commit's files agents of a user's own have written. */
const OWN = `
[agent.writer]
command = "cat >/dev/null; env > seen.txt"
pass_env = ["MY_KEY"]
[agent.judge]
command = "test -e seen.txt && echo APPROVED: yes"
`;

test("agents of a user's own work under their names, each with its own variables, and resume", async () => {
  const at = place();
  const config = join(at.outside, "home/.config/quasar");
  write(config, { "config.toml": OWN });
  const env = { MY_KEY: "k", OTHER_KEY: "o" };
  const failing = ["run", "Look", "--coder", "writer", "--reviewer", "command:exit 1", "--json"];
  const failed = await quasar(at, [...failing, "--retries", "0"], { env });
  expect(failed.code, failed.stdout).not.toBe(0);
  const done = await quasar(at, ["resume", "--reviewer", "judge", "--json"], { env });
  expect(done.code, done.stdout).toBe(0);
  const seen = git(at, "show", "HEAD:seen.txt");
  expect(seen).toMatch(/^MY_KEY=k$/mu);
  expect(seen).not.toContain("OTHER_KEY");
  expect(failed.stdout).toContain('"coder":"writer"');
  expect(done.stdout).toContain('"reviewer":"judge"');
});

test("a run whose agent is no longer named is refused with those that there are", async () => {
  const at = place();
  const config = join(at.outside, "home/.config/quasar");
  write(config, { "config.toml": "[agent.breaks]\ncommand = 'exit 1'\n" });
  const args = ["--coder", "breaks", "--reviewer", "breaks", "--retries", "0"];
  expect((await quasar(at, ["run", "Look", ...args])).code).not.toBe(0);
  write(config, { "config.toml": "" });
  const refused = await quasar(at, ["resume", "--json"]);
  expect(refused.code).toBe(2);
  expect(lastRecord(refused)).toMatchObject({
    code: "ERR_CONFIG",
    message: expect.stringContaining('there is no agent "breaks"'),
  });
});

test.for([
  ["none", NONE, undefined],
  ["all", ALL, undefined],
  ["only the last", ALL.slice(-1), AGENT_PRESETS.at(-1)?.name],
] as const)(
  "init takes who is here where %s of the agents are installed",
  async ([, programs, name]) => {
    const at = withAgents(place(), programs);
    const { agents } = lastRecord(await quasar(at, ["init", "--json", "--yes"]));
    expect(agents).toMatchObject(programs.map((kind) => ({ kind, version: "1.2.3" })));
    const settings = readFileSync(join(at.repo, ".quasar/config.toml"), "utf8");
    const named = name === undefined ? [] : [`coder = "${name}"`, `reviewer = "${name}"`];
    expect(settings.match(/^(?:coder|reviewer) = .*/gmu) ?? []).toEqual(named);
    const screen = await quasar(at, ["init"]);
    const others = ALL.filter((program) => !programs.includes(program));
    if (others.length > 0) expect(screen.stdout).toContain(`not installed: ${others.join(", ")}`);
  },
);

test("init takes who is logged in before who is not known to be", async () => {
  const at = withAgents(place(), ALL);
  const env = { GEMINI_API_KEY: "key" };
  const line = lastRecord(await quasar(at, ["init", "--json", "--yes"], { env }));
  expect(line["agents"]).toContainEqual(
    expect.objectContaining({ kind: "gemini", login: expect.objectContaining({ state: "in" }) }),
  );
  const settings = readFileSync(join(at.repo, ".quasar/config.toml"), "utf8");
  expect(settings.match(/^(?:coder|reviewer) = .*/gmu)).toEqual([
    'coder = "gemini"',
    'reviewer = "gemini"',
  ]);
  const ofAtlas = await atlasJson(withAgents(atlasPlace(), ALL), ["init"], { env });
  expect(ofAtlas["next"]).toContain('atlas start "…" --coder gemini --reviewer gemini');
});

test("completion offers agents of the user's own beside those that are known, in both commands", async () => {
  const at = atlasPlace();
  const own = { "config.toml": "[agent.mine]\ncommand = 'x'\n" };
  write(join(at.outside, "home/.config/quasar"), own);
  write(at.env["ATLAS_HOME"] ?? expect.unreachable("a home of atlas"), own);
  const names = [...AGENT_PRESETS.map(({ name }) => name), "mine"];
  const namesIn = ({ stdout }: { readonly stdout: string }) =>
    stdout.split("\n").map((line) => line.split("\t")[0]);
  const words = ["complete", "--", "run", "--coder", ""];
  expect(namesIn(await quasar(at, words))).toEqual([...names, ""]);
  const ofAtlas = ["complete", "--", "start", "--reviewer", ""];
  expect(namesIn(await atlas(at, ofAtlas))).toEqual([...names, ""]);
  write(join(at.outside, "home/.config/quasar"), { "config.toml": "agent = 1\n" });
  expect(namesIn(await quasar(at, words))).toEqual([...names.slice(0, -1), ""]);
});
