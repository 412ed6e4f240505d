import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { identityOf, isAlive, sendSignal } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { detectAgents } from "../src/detect.ts";
import { PRESETS } from "../src/presets.ts";
import { aDirectory } from "./request.ts";

test("finds the agents on the PATH, with their versions", async () => {
  const dir = aDirectory();
  writeFileSync(join(dir, "claude"), "#!/bin/sh\necho '2.1.329 (Claude Code)'\n");
  chmodSync(join(dir, "claude"), 0o700);
  vi.stubEnv("PATH", `${dir}:/bin`);
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.329", login: UNKNOWN }]);
  writeFileSync(join(dir, "codex"), "#!/bin/sh\nexit 1\n");
  chmodSync(join(dir, "codex"), 0o700);
  expect(await detectAgents()).toContainEqual({ kind: "codex", version: "", login: UNKNOWN });
  vi.unstubAllEnvs();
});

const UNKNOWN = { state: "unknown", how: "" };

/** An agent that records how it was started, and says of its login what is given. */
function anAgent(name: string, version: string, status: string): string {
  const dir = aDirectory();
  const script = `#!/bin/sh
echo "$* in $PWD, key $ANTHROPIC_API_KEY, token $GITHUB_TOKEN, proxy $HTTPS_PROXY" >> ${dir}/asked
if [ "$1" = --version ]; then echo ${version}; else ${status}; fi
`;
  writeFileSync(join(dir, name), script, { mode: 0o700 });
  return dir;
}

test("asks an agent for its login with the variables that it has in a run, without a network", async () => {
  const status = `echo '{"loggedIn":true,"authMethod":"api_key"}'`;
  const dir = anAgent("claude", "2.1.329", status);
  vi.stubEnv("PATH", `${dir}:/bin`);
  vi.stubEnv("ANTHROPIC_API_KEY", "k");
  vi.stubEnv("GITHUB_TOKEN", "t");
  vi.stubEnv("HTTPS_PROXY", "http://proxy.example");
  onTestFinished(() => void vi.unstubAllEnvs());
  const login = { state: "in", how: "API key" };
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.329", login }]);
  const asked = readFileSync(join(dir, "asked"), "utf8").split("\n");
  const rest = "in /, key k, token , proxy http://127.0.0.1:9";
  expect(asked).toEqual([`--version ${rest}`, `auth status ${rest}`, ""]);
  await detectAgents({ passEnv: ["GITHUB_TOKEN"] });
  expect(readFileSync(join(dir, "asked"), "utf8")).toContain("token t,");
});

test("never asks an old agent that would take the question for a prompt", async () => {
  const dir = anAgent("claude", "2.1.40", "echo I did it.");
  vi.stubEnv("PATH", `${dir}:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.40", login: UNKNOWN }]);
  expect(readFileSync(join(dir, "asked"), "utf8")).not.toContain("auth");
});

test("an agent that takes long to start is waited for", async () => {
  const dir = aDirectory();
  const script = `#!/bin/sh\nsleep 6\necho '1.18.33'\n`;
  writeFileSync(join(dir, "opencode"), script, { mode: 0o700 });
  vi.stubEnv("PATH", `${dir}:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await detectAgents()).toMatchObject([{ kind: "opencode", version: "1.18.33" }]);
});

test("an agent that does not say in time who is logged in is not waited for", async () => {
  const dir = anAgent("codex", "0.169.0", "sleep 60");
  vi.stubEnv("PATH", `${dir}:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  const before = performance.now();
  expect(await detectAgents()).toEqual([{ kind: "codex", version: "0.169.0", login: UNKNOWN }]);
  expect(performance.now() - before).toBeLessThan(20_000);
});

test.for([
  ["", { state: "out", how: "" }],
  ['model_provider = "own"\n', { state: "unknown", how: expect.stringContaining("provider") }],
] as const)(
  "knows of Codex's own settings %j what its status leaves out",
  async ([text, login]) => {
    const dir = anAgent("codex", "0.169.0", "echo Not logged in; exit 1");
    if (text !== "") writeFileSync(join(dir, "config.toml"), text);
    vi.stubEnv("PATH", `${dir}:/bin`);
    vi.stubEnv("CODEX_HOME", dir);
    onTestFinished(() => void vi.unstubAllEnvs());
    expect(await detectAgents()).toEqual([{ kind: "codex", version: "0.169.0", login }]);
  },
);

test("does not wait for what an agent's program leaves running, and ends it", async () => {
  const dir = aDirectory();
  const script = `#!/bin/sh\nsleep 600 &\necho $! > ${dir}/pid\necho '2.1.329 (Claude Code)'\n`;
  writeFileSync(join(dir, "claude"), script, { mode: 0o700 });
  vi.stubEnv("PATH", `${dir}:/bin`);
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(await detectAgents()).toEqual([{ kind: "claude", version: "2.1.329", login: UNKNOWN }]);
  const left = identityOf(Number(readFileSync(join(dir, "pid"), "utf8")));
  onTestFinished(() => sendSignal(left.pid, "SIGKILL"));
  await expect.poll(() => isAlive(left)).toBe(false);
});

test("finds all agents that are known, and sees of what a login has left who is logged in", async () => {
  const dir = aDirectory();
  const names = Object.keys(PRESETS);
  for (const name of names) {
    const script = `#!/bin/sh\n[ "$1" = --version ] || exit 9\necho "${name} 1.2.3."\n`;
    writeFileSync(join(dir, name), script, { mode: 0o700 });
  }
  mkdirSync(join(dir, ".gemini"));
  writeFileSync(join(dir, ".gemini/oauth_creds.json"), '{"refresh_token":"t"}');
  vi.stubEnv("PATH", `${dir}:/bin`);
  vi.stubEnv("HOME", dir);
  for (const name of ["XDG_DATA_HOME", "QWEN_HOME", "GEMINI_CLI_HOME", "COPILOT_HOME"]) {
    vi.stubEnv(name, undefined);
  }
  for (const name of ["GEMINI_API_KEY", "GOOGLE_API_KEY", "OPENAI_API_KEY", "DASHSCOPE_API_KEY"]) {
    vi.stubEnv(name, undefined);
  }
  vi.stubEnv("COPILOT_GITHUB_TOKEN", "t");
  onTestFinished(() => void vi.unstubAllEnvs());
  const found = await detectAgents({ presets: Object.values(PRESETS) });
  expect(found.map(({ kind, version }) => [kind, version])).toEqual(
    names.map((name) => [name, "1.2.3"]),
  );
  const login = (name: string) => found.find(({ kind }) => kind === name)?.login;
  expect(login("gemini")).toEqual({ state: "in", how: join(dir, ".gemini/oauth_creds.json") });
  expect(login("copilot")).toEqual({ state: "in", how: "COPILOT_GITHUB_TOKEN" });
  expect(login("qwen")).toMatchObject({ state: "unknown" });
});
