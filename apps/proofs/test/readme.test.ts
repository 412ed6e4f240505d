import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { packages, root } from "../src/workspace.ts";

const read = (path: string): string => readFileSync(`${root}${path}`, "utf8");
const readme = read("README.md");

test("the README shows the recording that the command's own README holds", () => {
  const recording = (text: string) => /<!-- demo:start -->[^]*<!-- demo:end -->/u.exec(text)?.[0];
  expect(recording(readme)).toContain("$ quasar demo");
  expect(recording(readme)).toBe(recording(read("apps/cli/README.md")));
});

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

test.for(globSync(["*.md", "{apps,packages,docs}/{*,*/*}.md"], { cwd: root }))(
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

test("each changeset names packages that there are, in a head that its readers find", () => {
  const files = globSync(".changeset/*.md", { cwd: root });
  const names = new Set(["@quasar/cli", ...packages.map(({ name }) => name)]);
  expect(files.length).toBeGreaterThan(10);
  for (const file of files) {
    const [, head = ""] = /^---\n([^]*?)\n---\n/u.exec(read(file)) ?? [];
    const lines = head.split("\n").filter((line) => line !== "");
    const named = lines.map(
      (line) => /^"([^"]+)": (?:patch|minor|major)$/u.exec(line)?.[1] ?? line,
    );
    expect(named, file).not.toEqual([]);
    expect(
      named.filter((name) => !names.has(name)),
      file,
    ).toEqual([]);
  }
});
