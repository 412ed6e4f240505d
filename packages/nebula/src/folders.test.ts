import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, sep } from "node:path";
import { expect, test } from "vitest";

const SRC = import.meta.dirname;

/** Lowest first, as the README has them. */
function foldersInReadme(): readonly string[] {
  const [, inside = ""] = readFileSync(join(SRC, "../README.md"), "utf8").split("## Inside");
  return [...inside.matchAll(/^\| `(\w+)` /gmu)].map(([, name = ""]) => name);
}

function importsOf(file: string): readonly string[] {
  const text = readFileSync(join(SRC, file), "utf8");
  const found = text.matchAll(/ from "(\.[^"]+)";/gu);
  return [...found].map(([, path = ""]) => normalize(join(dirname(file), path)));
}

function folderOf(file: string): string {
  return file.split(sep)[0] ?? "";
}

test("a folder imports only from those below it", () => {
  const order = foldersInReadme();
  const files = globSync("*/**/*.ts", { cwd: SRC, exclude: (name) => /\.test\.ts$/u.test(name) });
  expect(new Set(files.map(folderOf))).toEqual(new Set(order));
  const upward = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => order.indexOf(folderOf(path)) > order.indexOf(folderOf(file)))
      .map((path) => `${file} imports ${path}`),
  );
  expect(upward).toEqual([]);
});
