import { expect, test } from "vitest";
import { durableGitEnv, scrubbed } from "./environment.ts";

test("keeps what is the user's and drops what steers git", () => {
  const environment = {
    PATH: "/bin",
    HOME: "/root",
    LANGUAGE: "de",
    LC_ALL: "de_DE.UTF-8",
    GIT_DIR: "/elsewhere",
    GIT_SSH_COMMAND: "x",
    GIT_EXTERNAL_DIFF: "x",
    GIT_AUTHOR_NAME: "A",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_CONFIG_COUNT: "1",
    UNSET: undefined,
  };
  expect(scrubbed(environment)).toEqual({
    PATH: "/bin",
    HOME: "/root",
    LC_ALL: "C.UTF-8",
    GIT_AUTHOR_NAME: "A",
    GIT_CONFIG_GLOBAL: "/config",
    GIT_TERMINAL_PROMPT: "0",
    GIT_PAGER: "cat",
  });
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
