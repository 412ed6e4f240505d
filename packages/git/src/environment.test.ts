import { expect, test } from "vitest";
import { durableGitEnv, foreignGitEnv, identityEnv, scrubbed, userConfig } from "./environment.ts";

test("keeps what is the user's and drops what steers git", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/root",
    LANGUAGE: "de",
    LANG: "de_DE.UTF-8",
    LC_TIME: "C",
    GIT_DIR: "/elsewhere",
    GIT_SSH_COMMAND: "x",
    GIT_EXTERNAL_DIFF: "x",
    GIT_AUTHOR_NAME: "A",
    GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_CONFIG_COUNT: "1",
    GIT_CEILING_DIRECTORIES: "/home",
    UNSET: undefined,
  };
  expect(scrubbed(environment)).toEqual({
    PATH: "/bin",
    HOME: "/root",
    LANG: "de_DE.UTF-8",
    LC_TIME: "C",
    LC_CTYPE: "de_DE.UTF-8",
    LC_MESSAGES: "C",
    GIT_AUTHOR_NAME: "A",
    GIT_COMMITTER_DATE: "2026-01-01T00:00:00Z",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_CEILING_DIRECTORIES: "/home",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
  });
});

test("has git's own words in English, and leaves a git hook the user's letters", () => {
  const environment = {
    LANG: "C",
    LC_ALL: "pl_PL.UTF-8",
    LC_CTYPE: "C",
    LC_MESSAGES: "pl_PL.UTF-8",
  };
  expect(scrubbed(environment)).toEqual({
    LANG: "pl_PL.UTF-8",
    LC_MESSAGES: "C",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
  });
  expect(scrubbed({})).toMatchObject({ LC_CTYPE: "C.UTF-8", LC_MESSAGES: "C" });
});

test.for([
  [undefined, 0],
  ["", 0],
  ["0", 0],
  ["2", 2],
  ["-1", 0],
  ["1.5", 0],
  ["many", 0],
] as const)("adds the durable settings to a count of %j", ([count, first]) => {
  expect(durableGitEnv({ GIT_CONFIG_COUNT: count })).toEqual({
    GIT_CONFIG_COUNT: String(first + 1),
    [`GIT_CONFIG_KEY_${first}`]: "core.fsync",
    [`GIT_CONFIG_VALUE_${first}`]: "all",
  });
});

test("takes from the environment's configuration who the user is, and nothing that git would run", () => {
  const pairs = {
    "user.name": "A CI",
    "User.Email": "ci@localhost",
    "commit.gpgSign": "true",
    "gpg.ssh.allowedSignersFile": "/signers",
    "safe.directory": "/repo",
    "core.hooksPath": "/evil",
    "filter.lfs.clean": "/evil",
    "alias.status": "!/evil",
    "userx.name": "x",
    "beyond.the.count": "x",
  };
  const environment: Record<string, string> = { GIT_CONFIG_COUNT: "9" };
  for (const [index, [name, value]] of Object.entries(pairs).entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = name;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  expect(userConfig(environment)).toEqual(Object.entries(pairs).slice(0, 5));
  expect(userConfig({ ...environment, GIT_CONFIG_COUNT: "9999999999" })).toHaveLength(5);
  expect(userConfig({ ...environment, GIT_CONFIG_COUNT: "nonsense" })).toEqual([]);
});

test("hands on who the user is, and no more of what steers git", () => {
  const environment = {
    PATH: "/bin",
    GIT_DIR: "/elsewhere",
    GIT_AUTHOR_NAME: "A",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_0: "core.hooksPath",
    GIT_CONFIG_VALUE_0: "/evil",
    GIT_CONFIG_KEY_1: "user.name",
    GIT_CONFIG_VALUE_1: "A CI",
  };
  const identity = {
    GIT_AUTHOR_NAME: "A",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_CONFIG_COUNT: "1",
    GIT_CONFIG_KEY_0: "user.name",
    GIT_CONFIG_VALUE_0: "A CI",
  };
  expect(identityEnv(environment)).toEqual(identity);
  expect(identityEnv({ PATH: "/bin", GIT_DIR: "/elsewhere" })).toEqual({});
  expect(foreignGitEnv(environment)).toEqual({
    ...identity,
    GIT_CONFIG_COUNT: "2",
    GIT_CONFIG_KEY_1: "core.fsync",
    GIT_CONFIG_VALUE_1: "all",
  });
});
