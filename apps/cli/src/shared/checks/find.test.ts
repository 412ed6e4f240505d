import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { findChecks } from "./find.ts";

function checksOf(files: Readonly<Record<string, string>>): readonly string[] {
  const dir = mkdtempSync(join(tmpdir(), "quasar-find-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, name)), { recursive: true });
    writeFileSync(join(dir, name), text);
  }
  return findChecks(dir).map(({ kind, command, from }) => `${kind} ${command} (${from})`);
}

const scripts = (named: Readonly<Record<string, string>>): string =>
  JSON.stringify({ scripts: named });

test.for([
  [
    "npm",
    { "package.json": scripts({ lint: "eslint", test: "vitest", build: "tsc" }) },
    ["lint npm run lint (package.json)", "test npm test (package.json)"],
  ],
  [
    "the package manager of the lockfile",
    {
      "package.json": scripts({ "format:check": "x", typecheck: "tsc", test: "x" }),
      "pnpm-lock.yaml": "",
    },
    [
      "lint pnpm run format:check (package.json)",
      "test pnpm run typecheck (package.json)",
      "test pnpm test (package.json)",
    ],
  ],
  ["no placeholder", { "package.json": scripts({ test: 'echo "no test specified"' }) }, []],
  [
    "make, but for what is a variable",
    { Makefile: "lint := x\nall:\n\ttrue\ntest: all\n\ttrue\n" },
    ["test make test (Makefile)"],
  ],
  ["just, with parameters", { justfile: "test *args:\n  x\n" }, ["test just test (justfile)"]],
  ["cargo", { "Cargo.toml": "[package]\n" }, ["test cargo test (Cargo.toml)"]],
  [
    "python",
    { "pyproject.toml": "[tool.ruff]\n[tool.pytest.ini_options]\n" },
    ["lint ruff check . (pyproject.toml)", "test python3 -m pytest (pyproject.toml)"],
  ],
  [
    "python's own tests where no other are named",
    { "pyproject.toml": "[project]\n", "test_total.py": "" },
    ["test python3 -m unittest (pyproject.toml)"],
  ],
  [
    "python's own tests in their package",
    { "pyproject.toml": "[project]\n", "tests/__init__.py": "", "tests/test_total.py": "" },
    ["test python3 -m unittest (pyproject.toml)"],
  ],
  [
    "no tests of python in a folder that is no package",
    { "pyproject.toml": "[project]\n", "tests/test_total.py": "" },
    [],
  ],
  ["go", { "go.mod": "module x\n" }, ["lint go vet ./... (go.mod)", "test go test ./... (go.mod)"]],
  [
    "what a Makefile adds to the language's own, and not twice",
    { "Cargo.toml": "[package]\n", Makefile: "lint:\n\tx\ntest:\n\tx\n" },
    ["test cargo test (Cargo.toml)", "lint make lint (Makefile)"],
  ],
  ["nothing", { "package.json": "{", "a.txt": "" }, []],
] as const)("finds %s", ([, files, expected]) => {
  expect(checksOf(files)).toEqual(expected);
});
