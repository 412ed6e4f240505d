import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { problemOf, requireRunnable } from "./runnable.ts";

const workTree = mkdtempSync(join(tmpdir(), "quasar-runnable-"));
afterAll(() => rmSync(workTree, { recursive: true }));
for (const name of ["check.sh", "plain.sh"]) writeFileSync(join(workTree, name), "#!/bin/sh\n");
chmodSync(join(workTree, "check.sh"), 0o755);
const around = { workTree, searchPath: "/usr/bin:/bin" };

test.for([
  "sh -c true",
  "CI=1 sh check.sh",
  "./check.sh --all",
  "cd web && nosuch",
  "test -f a",
  "[ -f a ]",
  "! false",
  '"$HOME/bin/x"',
  "$(which x)",
  "(nosuch)",
])("knows nothing against %j", (command) => {
  expect(problemOf(command, around)).toBeUndefined();
});

test.for([
  ["nosuch", "there is no program nosuch on the PATH"],
  ["CI=1 nosuch --all", "there is no program nosuch on the PATH"],
  ["nosuch; true", "there is no program nosuch on the PATH"],
  ["./gone.sh", "there is no file ./gone.sh"],
  ["./plain.sh x", "./plain.sh may not be run (chmod +x ./plain.sh)"],
] as const)("knows that %j cannot run", ([command, problem]) => {
  expect(problemOf(command, around)).toBe(problem);
});

test("refuses all that cannot run at once, by name", () => {
  const act = () => requireRunnable(["nosuch", "sh -c true", "nosuch2"], around);
  expect(act).toThrow(expect.objectContaining({ code: "ERR_CHECK", exitCode: 2 }));
  expect(act).toThrow(/nosuch: .*\n.*nosuch2: /u);
});
