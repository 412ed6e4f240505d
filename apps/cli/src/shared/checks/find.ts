import { readdirSync } from "node:fs";
import { join } from "node:path";
import { DurableError, readWholeFile } from "@quasar/durable";
import { packageManagerOf, packageScripts } from "@quasar/loop/internal";

/** A command that a project checks itself with. */
export interface FoundCheck {
  readonly command: string;
  /** The file that says so. */
  readonly from: string;
  /** `lint`: goes back to the coder at once, and keeps no review from approving; `test`: has to pass. */
  readonly kind: "lint" | "test";
}

/**
 * The checks that a work tree's own files name: scripts of package.json, Cargo.toml, pyproject.toml and go.mod;
 * of a Makefile and a justfile what those do not name. Nothing is run.
 */
export function findChecks(workTree: string): readonly FoundCheck[] {
  const text = (name: string): string | undefined => textOf(join(workTree, name));
  const found = [
    ...ofScripts(workTree),
    ...ofFile("Cargo.toml", text, () => [["test", "cargo test"]]),
    ...ofFile("pyproject.toml", text, (pyproject) => ofPython(pyproject, workTree)),
    ...ofFile("go.mod", text, () => [
      ["lint", "go vet ./..."],
      ["test", "go test ./..."],
    ]),
  ];
  const more = [
    ...ofFile("Makefile", text, (makefile) => ofRecipes(makefile, "make")),
    ...ofFile("justfile", text, (justfile) => ofRecipes(justfile, "just")),
  ];
  const kinds = new Set(found.map(({ kind }) => kind));
  return [...found, ...more.filter(({ kind }) => !kinds.has(kind))];
}

type Named = readonly [kind: FoundCheck["kind"], command: string];

function ofFile(
  from: string,
  text: (name: string) => string | undefined,
  read: (text: string) => readonly Named[],
): readonly FoundCheck[] {
  const content = text(from);
  return (content === undefined ? [] : read(content)).map(([kind, command]) => ({
    command,
    from,
    kind,
  }));
}

/** Of each line the first that is there. */
const SCRIPTS: readonly (readonly [kind: FoundCheck["kind"], ...names: string[]])[] = [
  ["lint", "format-check", "format:check"],
  ["lint", "lint"],
  ["test", "typecheck", "type-check"],
  ["test", "test"],
];
/** What `npm init` writes: it says that there is no test. */
const PLACEHOLDER = /no test specified/u;

function ofScripts(workTree: string): readonly FoundCheck[] {
  const scripts = packageScripts(workTree);
  const runner = packageManagerOf(workTree);
  return SCRIPTS.flatMap(([kind, ...names]) => {
    const name = names.find((one) => {
      const script = scripts.get(one) ?? "";
      return script.trim() !== "" && !PLACEHOLDER.test(script);
    });
    if (name === undefined) return [];
    const command =
      name === "test" && runner !== "bun" ? `${runner} test` : `${runner} run ${name}`;
    return [{ command, from: "package.json", kind }];
  });
}

function ofPython(pyproject: string, workTree: string): readonly Named[] {
  const rows: readonly (readonly [RegExp, ...Named])[] = [
    [/^\[tool\.ruff\b/mu, "lint", "ruff check ."],
    [/^\[tool\.mypy\b/mu, "test", "mypy ."],
    [/^\[tool\.pytest\b|\bpytest\b/mu, "test", "python3 -m pytest"],
  ];
  const found = rows.filter(([sign]) => sign.test(pyproject)).map(([, ...named]) => named);
  const isTested = found.some(([, command]) => command.includes("pytest"));
  return isTested || !hasUnitTests(workTree)
    ? found
    : [...found, ["test", "python3 -m unittest"] as const];
}

/** Whether `python3 -m unittest` finds tests by its own rule: `test*.py`, there or in a package `tests`. */
function hasUnitTests(workTree: string): boolean {
  const inTests = namesIn(join(workTree, "tests"));
  const names = [...namesIn(workTree), ...(inTests.includes("__init__.py") ? inTests : [])];
  return names.some((name) => /^test.*\.py$/u.test(name));
}

/** Of a folder that is not there or cannot be read: none. */
function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir);
  } catch {
    return [];
  }
}

const RECIPES: readonly (readonly [kind: FoundCheck["kind"], name: string])[] = [
  ["lint", "lint"],
  ["test", "typecheck"],
  ["test", "test"],
];

function ofRecipes(text: string, runner: string): readonly Named[] {
  return RECIPES.filter(([, name]) => new RegExp(`^${name}\\b[^:=\n]*:(?!=)`, "mu").test(text)).map(
    ([kind, name]) => [kind, `${runner} ${name}`],
  );
}

const MAX_BYTES = 2 ** 20;

function textOf(path: string): string | undefined {
  try {
    const bytes = readWholeFile(path, { maxBytes: MAX_BYTES });
    return bytes && Buffer.from(bytes).toString();
  } catch (error) {
    if (error instanceof DurableError) return undefined;
    throw error;
  }
}
