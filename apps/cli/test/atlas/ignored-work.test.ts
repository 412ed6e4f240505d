import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { atlas, type AtlasPlace, atlasPlace, scripted, workTreeOf } from "./harness.ts";
import { APPROVAL } from "../scripts.ts";

/** A bugfix that waits for its review, and whose fix the coder has put where git ignores it. */
async function aside(): Promise<{ readonly at: AtlasPlace; readonly told: string }> {
  const at = atlasPlace({ "median.py": "wrong\n", ".gitignore": "lib/\nnode_modules/\n" });
  const files = {
    "lib/med.py": "right\n",
    "median.py": "from lib.med import median\n",
    "node_modules/x/index.js": "installed\n",
  };
  const turns = [
    { role: "coder", match: "Step: analyze", text: "The cause is found." },
    { role: "coder", text: "Fixed.", files },
    { role: "reviewer", text: APPROVAL },
  ] as const;
  const line = [
    "start",
    "fix it",
    "--template",
    "bugfix",
    "--validate",
    "grep -q right lib/med.py",
  ];
  const started = await atlas(at, [...line, ...scripted(at, turns)]);
  expect(started.code, started.stderr).toBe(9);
  return { at, told: `${started.stdout}${started.stderr}`.replaceAll(/\s+/gu, " ") };
}

test("work that git ignores is named at the validation and the gate, and not approved unless accepted", async () => {
  const { at, told } = await aside();
  const words = "in no commit, as git ignores it: lib/";
  expect(told).toContain(`Validation passed: check-1; ${words}`);
  expect(told, "at the gate").toContain(`warning: ${words}`);
  const validated = await atlas(at, ["validate"]);
  expect(validated.stderr, validated.stdout).toContain(`warning: ${words}`);
  const refused = await atlas(at, ["approve", "--yes"]);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain(words);
  expect(refused.stderr).toContain("--accept-ignored");
  const approved = await atlas(at, ["approve", "--yes", "--accept-ignored"]);
  expect(approved.code, approved.stderr).toBe(0);
  expect(approved.stdout).toContain(`ignored: ${words}`);
});

test.for(["close", "destroy"])("workspace %s keeps ignored work, and says where", async (verb) => {
  const { at } = await aside();
  const tree = workTreeOf(at);
  await atlas(at, ["approve", "--yes", "--accept-ignored"]);
  const ended = await atlas(at, ["workspace", verb, "fix-it"]);
  expect(ended.code, ended.stderr).toBe(0);
  expect(existsSync(tree)).toBe(false);
  const kept = join(at.home, "workspaces/fix-it/ignored");
  expect(ended.stdout).toContain(kept);
  expect(readFileSync(join(kept, "lib/med.py"), "utf8")).toBe("right\n");
  expect(existsSync(join(kept, "node_modules"))).toBe(false);
});
