import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { apply, withDemo } from "./a-nebula.ts";
import { git, type Place, place, quasar } from "./harness.ts";
import { agents, twoCycles } from "./scripts.ts";

async function withRun(): Promise<Place> {
  const at = place();
  const { code } = await quasar(at, ["run", "Write <script>work.txt", ...agents(at, twoCycles())]);
  expect(code).toBe(0);
  return at;
}

interface Data {
  readonly data: {
    readonly diffs: readonly { readonly sha: string; readonly text: string }[];
    readonly run: { readonly task: string };
  };
}

function dataOf(html: string): Data {
  const [, json = ""] = /id="report-data">(.*)<\/script>/u.exec(html) ?? [];
  return JSON.parse(json) as Data;
}

test("a run's page has its diffs and transcripts, is the same at each time, and is replaced", async () => {
  const at = await withRun();
  const path = join(at.outside, "report.html");
  const written = await quasar(at, ["report", "--html", path]);
  expect(written).toMatchObject({ code: 0, stderr: "" });
  expect(written.stdout).toMatch(/report\.html {2}\d+ KiB\n$/u);
  const html = readFileSync(path, "utf8");
  const { data } = dataOf(html);
  expect(data.run.task).toBe("Write <script>work.txt");
  const commits = git(at, "log", "--reverse", "--format=%H", "HEAD~2..").split("\n");
  expect(data.diffs.map(({ sha }) => sha)).toEqual(commits);
  expect(data.diffs[1]?.text).toContain("-first\n+right\n");
  // Compared as a whole: a failure is not to print all of it.
  const isThere = (text: string): boolean => html.includes(text);
  expect(isThere('"type":"tool","name":"write","detail":"more.txt"')).toBe(true);
  expect(isThere("Write \\u003cscript\\u003ework.txt\\n\\nDo this task.")).toBe(true);
  expect(isThere(at.outside)).toBe(false);
  expect((await quasar(at, ["report", "--html", path])).code).toBe(0);
  expect(readFileSync(path, "utf8") === html).toBe(true);
  expect(statSync(path).size).toBeLessThan(2_000_000);
});

test("a page takes no other file's place, unless that is forced", async () => {
  const at = await withRun();
  const path = join(at.repo, "notes.html");
  writeFileSync(path, "<p>mine\n");
  const refused = await quasar(at, ["report", "--html", "notes.html"]);
  expect(refused.code).toBe(6);
  expect(refused.stderr).toContain("notes.html is there and is no report");
  expect(refused.stderr).toContain("notes.html --force");
  expect(readFileSync(path, "utf8")).toBe("<p>mine\n");
  expect((await quasar(at, ["report", "--html", "notes.html", "--force"])).code).toBe(0);
  expect(readFileSync(path, "utf8")).toMatch(/^<!doctype html>/u);
});

test("--open shows the page by the desktop's program, from the user's own folder", async () => {
  const at = await withRun();
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  writeFileSync(
    join(bin, program),
    '#!/bin/sh\nprintf "%s" "$*" > "$HOME/opened.tmp"\nmv "$HOME/opened.tmp" "$HOME/opened"\n',
    {
      mode: 0o755,
    },
  );
  const env = { PATH: `${bin}:${at.env["PATH"]}` };
  expect((await quasar(at, ["report", "--open"], { env })).code).toBe(0);
  const seen = join(at.outside, "home/opened");
  await expect.poll(() => existsSync(seen)).toBe(true);
  const opened = readFileSync(seen, "utf8");
  expect(opened).toMatch(/\/home\/\.local\/state\/quasar\/reports\/[\w-]+\.html$/u);
  expect(readFileSync(opened, "utf8")).toMatch(/^<!doctype html>/u);
});

test.for(["--json", "--md"])("a page and %s are not asked for at once", async (form) => {
  const { code, stderr } = await quasar(place(), ["report", "--html", "x.html", form]);
  expect(code).toBe(2);
  expect(stderr).toContain("one of them at a time");
});

test("a nebula's page has its landings and the transcripts of its phases", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  const path = join(at.outside, "demo.html");
  expect((await quasar(at, ["report", "demo", "--html", path])).code).toBe(0);
  const html = readFileSync(path, "utf8");
  expect(dataOf(html).data.diffs).toHaveLength(1);
  expect(html.match(/ id="transcript-/gu)?.length).toBeGreaterThanOrEqual(4);
});
