import { expect, test } from "vitest";
import { agentEnvironment, checkEnvironment, withheldFromChecks } from "./environment.ts";

const IDS = { runId: "r1", turnId: "r1.3" };

/** Names that come through, of one variable. */
function passes(name: string, own: readonly string[] = [], passEnv: readonly string[] = []) {
  return agentEnvironment(IDS, own, { env: { [name]: "x" }, passEnv })[name] === "x";
}

test.for(["PATH", "HOME", "LC_ALL", "XDG_CONFIG_HOME", "HTTPS_PROXY", "NODE_EXTRA_CA_CERTS", "TZ"])(
  "lets %s through",
  (name) => expect(passes(name)).toBe(true),
);

test.for(["AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "ANTHROPIC_API_KEY", "PATHS", "NODE_OPTIONS"])(
  "keeps %s back",
  (name) => expect(passes(name)).toBe(false),
);

test("lets an agent's own variables through", () => {
  expect(passes("ANTHROPIC_API_KEY", ["ANTHROPIC_*"])).toBe(true);
});

test("lets through what is named, or begins as named", () => {
  expect(passes("AWS_PROFILE", [], ["AWS_PROFILE"])).toBe(true);
  expect(passes("AWS_PROFILE", [], ["AWS_*"])).toBe(true);
  expect(passes("AWS_PROFILE_2", [], ["AWS_PROFILE"])).toBe(false);
});

test.for(["ATLAS_SIGNING_KEY", "CLAUDE_SIGNING_KEY", "MY_PRIVATE_KEY", "QUASAR_RUN", "ATLAS_HOME"])(
  "keeps %s back even where it is asked for",
  (name) => expect(passes(name, ["CLAUDE_*"], ["*"])).toBe(false),
);

test("gives an agent what its turn is to have, whatever its environment says", () => {
  const setEnv = { GIT_CONFIG_COUNT: "1" };
  const env = { GIT_CONFIG_COUNT: "2" };
  expect(agentEnvironment({ ...IDS, env }, [], { env: {}, setEnv })).toMatchObject(env);
});

test("marks the agent and its commits with the run and the turn", () => {
  expect(agentEnvironment(IDS, [], { env: { QUASAR_RUN_ID: "outer" } })).toEqual({
    QUASAR_RUN_ID: "r1",
    QUASAR_TURN_ID: "r1.3",
    GIT_REFLOG_ACTION: "quasar:r1/3",
  });
});

test("agents and checks get what toolchains need, less what looks like a secret", () => {
  const env = {
    CI: "1",
    CARGO_HOME: "/c",
    CARGO_REGISTRY_TOKEN: "t",
    CARGO_REGISTRIES_OURS_TOKEN: "t",
    GOPATH: "/go",
    PYENV_ROOT: "/p",
    ANTHROPIC_API_KEY: "k",
  };
  const { ANTHROPIC_API_KEY: _key, CARGO_REGISTRY_TOKEN: _a, ...rest } = env;
  const { CARGO_REGISTRIES_OURS_TOKEN: _b, ...told } = rest;
  expect(agentEnvironment(IDS, [], { env })).toMatchObject(told);
  expect(agentEnvironment(IDS, [], { env })).not.toHaveProperty("CARGO_REGISTRY_TOKEN");
  expect(checkEnvironment({ env })).toMatchObject(told);
  expect(Object.keys(checkEnvironment({ env }))).not.toContain("ANTHROPIC_API_KEY");
});

test("a check gets a secret that a person names, and what it does not get is known by name", () => {
  const env = { GITHUB_TOKEN: "t", DATABASE_URL: "u", PATH: "/bin", PWD: "/", QUASAR_X: "1" };
  expect(withheldFromChecks({ env })).toEqual(["DATABASE_URL", "GITHUB_TOKEN"]);
  const passEnv = ["GITHUB_TOKEN"];
  expect(checkEnvironment({ env, passEnv })).toMatchObject({ GITHUB_TOKEN: "t", PATH: "/bin" });
  expect(withheldFromChecks({ env, passEnv })).toEqual(["DATABASE_URL"]);
});

test("a default is what a variable is set to where the environment has none", () => {
  const defaultEnv = { GOCACHE: "/tmp/go" };
  expect(agentEnvironment(IDS, [], { env: {}, defaultEnv })).toMatchObject(defaultEnv);
  const env = { GOCACHE: "/mine" };
  expect(agentEnvironment(IDS, [], { env, defaultEnv })).toMatchObject(env);
});
