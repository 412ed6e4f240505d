import { expect, test } from "vitest";
import { atlas, atlasPlace } from "./atlas/harness.ts";
import { emptyPlace, quasar } from "./harness.ts";

test.for([
  [["help"], "quasar [options] [command]"],
  [["help", "help"], "quasar [options] [command]"],
  [["help", "--help"], "quasar [options] [command]"],
  [["help", "run"], "quasar run [options] [task]"],
  [["help", "run", "nothing is started"], "quasar run [options] [task]"],
] as const)("quasar %j prints one help", async ([args, usage]) => {
  const { stdout, stderr, code } = await quasar(emptyPlace(), args);
  expect(stdout.match(/^Usage: .*/gmu)).toEqual([`Usage: ${usage}`]);
  expect({ stderr, code }).toEqual({ stderr: "", code: 0 });
});

test.for([
  [["help", "hook"], "atlas hook [options] [command]"],
  [["hook"], "atlas hook [options] [command]"],
  [["help", "hook", "status"], "atlas hook status [options] [task]"],
] as const)("atlas %j prints one help", async ([args, usage]) => {
  const { stdout, code } = await atlas(atlasPlace(), args);
  expect(stdout.match(/^Usage: .*/gmu)).toEqual([`Usage: ${usage}`]);
  expect(code).toBe(0);
});

test("help for what is no command of a family is refused", async () => {
  const refused = await atlas(atlasPlace(), ["help", "hook", "nonsense"]);
  expect(refused).toMatchObject({ stdout: "", code: 2 });
  expect(refused.stderr).toContain("unknown command 'nonsense'");
});

test("help for what is no command is refused, with what was meant", async () => {
  const refused = await quasar(emptyPlace(), ["help", "rum"]);
  expect(refused).toMatchObject({ stdout: "", code: 2 });
  expect(refused.stderr).toMatch(
    /unknown command 'rum'\s+\(Did you mean run\?\)\n {2}next +quasar help run\n +quasar --help\n/u,
  );
});
