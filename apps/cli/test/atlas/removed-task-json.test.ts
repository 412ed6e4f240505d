import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atlas, atlasJson, atlasPlace, taskDirOf, waiting, workTreeOf } from "./harness.ts";

test.for([
  ["task.json", /^task\.json/u],
  ["task.json, hook.json and HOOK.md", /^(?:task\.json|hook\.json|HOOK\.md)/u],
] as const)(
  "a task that has lost every generation of %s is made again and goes to its end",
  async ([, names]) => {
    const at = atlasPlace();
    await waiting(at);
    const there = { ...at, repo: workTreeOf(at) };
    const taskDir = taskDirOf(at);
    const path = join(taskDir, "task.json");
    const before = readFileSync(path, "utf8");
    for (const name of readdirSync(taskDir)) if (names.test(name)) rmSync(join(taskDir, name));
    expect(existsSync(path)).toBe(false);

    expect(await atlasJson(there, ["status"])).toMatchObject({ code: 0 });
    expect(readFileSync(path, "utf8")).toBe(before);
    for (const name of readdirSync(taskDir)) if (names.test(name)) rmSync(join(taskDir, name));
    expect(await atlas(there, ["hook", "context"])).toMatchObject({ code: 0, stderr: "" });
    const approved = await atlasJson(there, ["approve", "--yes"]);
    expect(approved).toMatchObject({ code: 0, state: "completed" });
  },
);
