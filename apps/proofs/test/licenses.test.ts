import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { root } from "../src/workspace.ts";

// What is bundled is passed on, and its licence with it.

/** Folders of which something is published. */
const folders = globSync(["packages/*/dist", "apps/cli/dist"], { cwd: root }).map((dist) =>
  join(root, dist, ".."),
);

/** Packages that the bundles of a folder hold: esbuild names the file of each module in a comment above it. */
function bundledIn(folder: string): readonly string[] {
  const files = globSync("dist/**/*.js", { cwd: folder }).map((name) => join(folder, name));
  const names = files.flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(MODULE)].map(([, name = ""]) => name),
  );
  return [...new Set(names)].toSorted();
}

const MODULE = /^ *\/\/ \S*\/node_modules\/((?:@[^/\s]+\/)?[^/\s]+)\/\S+$/gmu;

/** The texts of a folder's file, by the packages' names. */
function licensesOf(folder: string): ReadonlyMap<string, string> {
  const path = join(folder, "dist/THIRD-PARTY-LICENSES.md");
  if (!existsSync(path)) return new Map();
  const [, ...sections] = readFileSync(path, "utf8").split(/^## /mu);
  return new Map(
    sections.map((section) => {
      const [name = ""] = section.split(" - ", 1);
      return [name, section.slice(section.indexOf("\n")).trim()] as const;
    }),
  );
}

/** Those of the packages whose notice and terms are not there. */
function missing(folder: string, names: readonly string[]): readonly string[] {
  const licenses = licensesOf(folder);
  return names.filter((name) => {
    const text = licenses.get(name) ?? "";
    return !/copyright/iu.test(text) || !/permission|licen[cs]e/iu.test(text);
  });
}

const bundlers = folders.filter((folder) => bundledIn(folder).length > 0);

test("the command and the agents bundle other packages", () => {
  expect(bundlers.map((folder) => folder.slice(root.length))).toEqual(
    expect.arrayContaining(["apps/cli", "packages/agents"]),
  );
  expect(bundledIn(join(root, "apps/cli"))).toEqual(expect.arrayContaining(["ink", "react"]));
});

test.for(bundlers)("%s has the licence of each package that its bundles hold", (folder) => {
  expect(missing(folder, bundledIn(folder))).toEqual([]);
});

test.for(["packages/page", "apps/cli"])("%s has the licences of what the page holds", (folder) => {
  const sources = globSync("src/app/**/*.ts*", { cwd: join(root, "packages/page") });
  const imported = sources.flatMap((name) => {
    const text = readFileSync(join(root, "packages/page", name), "utf8");
    return [...text.matchAll(/^import (?!type).*from "([^./@"][^/"]*)/gmu)].map(
      ([, it = ""]) => it,
    );
  });
  expect(imported).toContain("preact");
  expect(missing(join(root, folder), [...new Set(imported)])).toEqual([]);
});
