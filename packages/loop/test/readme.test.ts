import { execFileSync } from "node:child_process";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { aFolder } from "./harness.ts";

const PACKAGE = join(import.meta.dirname, "..");

test("the README's example runs as it says", () => {
  const [, example = ""] =
    /```ts\n([^]*?)```/u.exec(readFileSync(join(PACKAGE, "README.md"), "utf8")) ?? [];
  // Within the package, so that it finds this and the others by their names.
  const file = join(PACKAGE, "test", ".readme-example.ts");
  writeFileSync(file, example);
  onTestFinished(() => rmSync(file));
  const output = execFileSync(process.execPath, [file], { cwd: aFolder(), encoding: "utf8" });
  expect(output.trim().split("\n")).toEqual([
    "warning",
    "warning",
    "warning",
    "cycle_start",
    "agent_start",
    "agent_done",
    "agent_start",
    "agent_done",
    "review_complete",
    "task_success",
    /\/\/ (approved .*)/u.exec(example)?.[1],
  ]);
});
