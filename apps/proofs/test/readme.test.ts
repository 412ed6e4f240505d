import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { packages, root } from "../src/workspace.ts";

const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const readme = read("README.md");

test.for([
  ["demo", "$ quasar demo"],
  ["nebula-demo", "$ quasar nebula demo"],
])(
  "the README shows the recording of the %s that the command's own README holds",
  ([name, typed]) => {
    const between = new RegExp(`<!-- ${name}:start -->[^]*<!-- ${name}:end -->`, "u");
    const recording = (text: string) => between.exec(text)?.[0];
    expect(recording(readme)).toContain(typed);
    expect(recording(readme)).toBe(recording(read("apps/cli/README.md")));
  },
);

test.for(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "SECURITY.md", "docs/quick-start.md"])(
  "every file that %s names and every page that it links to is there",
  (page) => {
    const text = read(page);
    const named = [...text.matchAll(/`((?:apps|packages|docs)\/[^`\s<]+)`/gu)];
    const linked = [...text.matchAll(/\]\(([^)#:]+)[^):]*\)/gu)];
    const paths = [
      ...named.map(([, path = ""]) => path),
      ...linked.map(([, path = ""]) => join(dirname(page), path)),
    ];
    expect(paths).not.toEqual([]);
    expect(paths.filter((path) => globSync(path, { cwd: root }).length === 0)).toEqual([]);
  },
);

/** What is said, without fences and tables: a pasted part comes twice, or a rule in two versions. */
function sentencesOf(text: string): readonly string[] {
  const prose = text.replaceAll(/^(`{3,}).*\n[^]*?^\1$/gmu, "").split("\n");
  return prose
    .filter((line) => !line.startsWith("|"))
    .map((line) => line.replace(/^[\d.\s]+/u, ""));
}

const pages = globSync(["*.md", "docs/*.md", "{apps,packages}/*/*.md"], { cwd: root });

test.for(pages.filter((page) => !page.endsWith("CHANGELOG.md")))(
  "%s says nothing twice",
  (page) => {
    const long = sentencesOf(read(page)).filter((line) => line.length > 60);
    expect(long.filter((line, at) => long.indexOf(line) !== at)).toEqual([]);
  },
);

test("CI runs the test command that the README gives", () => {
  const command = /^(npx .* pnpm check)\b/mu.exec(readme)?.[1];
  expect(command).toBeDefined();
  expect(read(".ci/run").split("\n")).toContain(command);
});

test.for(packages)("the README names $name, and every page that it points to is there", (pkg) => {
  expect(readme).toContain(pkg.name);
  for (const [, page = ""] of readme.matchAll(/\]\(([^)#:]+)\)/gu)) {
    expect(() => read(page), page).not.toThrow();
  }
});

const names: ReadonlySet<string> = new Set(["@quasar/cli", ...packages.map(({ name }) => name)]);

/** What is wrong with the packages that a changeset names, each in words. */
function wrongIn(changeset: string): readonly string[] {
  const [, head] = /^---\n([^]*?)\n---\n/u.exec(changeset) ?? [];
  if (head === undefined) return ["it has no head"];
  const lines = head.split("\n").filter((line) => line !== "");
  const named = lines.map((line) => /^"([^"]+)": (?:patch|minor|major)$/u.exec(line)?.[1] ?? line);
  const unknown = named.filter((name) => !names.has(name));
  return named.length === 0
    ? ["it names no package"]
    : unknown.map((name) => `no package: ${name}`);
}

test.for([
  ['---\n\n"@quasar/git": minor\n"@quasar/cli": patch\n---\n\nIt is seen.\n', []],
  ['---\n"@quasar/gti": minor\n---\n', ["no package: @quasar/gti"]],
  ['---\n"@quasar/git": small\n---\n', ['no package: "@quasar/git": small']],
  ["---\n\n---\n\nIt is seen.\n", ["it names no package"]],
  ['"@quasar/git": minor\n', ["it has no head"]],
] as const)("of the changeset %j it is wrong that %j", ([changeset, wrong]) => {
  expect(wrongIn(changeset)).toEqual(wrong);
});

test("each changeset names packages that there are, in a head that its readers find", () => {
  const files = globSync(".changeset/*.md", { cwd: root }); // none, where a release was just made
  const wrong = files.map((file) => [file, wrongIn(read(file))] as const);
  expect(wrong.filter(([, found]) => found.length > 0)).toEqual([]);
});
