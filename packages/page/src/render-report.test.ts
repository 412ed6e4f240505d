import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aNebulaReport } from "../test/a-nebula.ts";
import { aRun, aRunReport, aTranscript, aTurn } from "../test/a-run.ts";
import { HOSTILE } from "../test/hostile.ts";
import { isReportPage, type ReportData, renderReport } from "./index.ts";

const htmlOf = (data: ReportData): string => renderReport(data, { redactionDigest: "3f2a" }).html;

test.for([
  ["a run", aRunReport],
  ["a nebula", aNebulaReport],
] as const)("writes the same bytes for the same facts of %s", ([, report]) => {
  expect(htmlOf(report())).toBe(htmlOf(structuredClone(report())));
});

test("a usual run is small", () => {
  const turns = Array.from({ length: 48 }, (_, n) => aTurn(n + 1));
  const text = "A line that an agent wrote while it worked.\n".repeat(850);
  const transcripts = turns.map(({ turnId }) => aTranscript(turnId, text));
  const html = htmlOf({ kind: "run", run: aRun({ turns }), transcripts });
  expect(Buffer.byteLength(html)).toBeLessThan(2_000_000);
});

/** What a browser takes an element for: it reads up to the first end of it. */
function elements(html: string, name: "script" | "style"): readonly string[] {
  const found = html.matchAll(new RegExp(`<${name}[^>]*>([^]*?)</${name}`, "giu"));
  return [...found].map(([, text = ""]) => text);
}

test("allows its own script and its own style, by their hashes, and nothing else", () => {
  const html = htmlOf(aRunReport());
  const policy = /http-equiv="Content-Security-Policy" content="(?<policy>[^"]*)"/u.exec(html);
  const hash = (text = ""): string => createHash("sha256").update(text).digest("base64");
  const script = elements(html, "script").find(
    (text) => !text.startsWith("{") && !text.startsWith("["),
  );
  expect(policy?.groups?.["policy"]?.split("; ")).toEqual([
    "default-src 'none'",
    `script-src 'sha256-${hash(script)}'`,
    `style-src 'sha256-${hash(elements(html, "style")[0])}'`,
    "base-uri 'none'",
    "form-action 'none'",
    "require-trusted-types-for 'script'",
  ]);
});

test("hostile texts stay within the elements of their data", () => {
  const run = aRun({ task: HOSTILE.join("\n") });
  const report = aRunReport({
    run,
    transcripts: HOSTILE.map((text, n) => aTranscript(`<r>.${n}`, text, text)),
  });
  const html = htmlOf(report);
  // The report's data, the page's script, and a transcript each.
  const [data = "", , ...transcripts] = elements(html, "script");
  expect(elements(html, "script").length).toBe(2 + HOSTILE.length);
  expect((JSON.parse(data) as { data: ReportData }).data).toMatchObject({ kind: "run" });
  for (const text of transcripts) expect(JSON.parse(text)).toMatchObject({ isKept: true });
  expect(html).not.toMatch(/[\u2028\u2029\u202e]/u);
  expect(html).not.toContain("<r>");
});

test("a page is known by its beginning, and nothing else is", () => {
  const html = htmlOf(aRunReport());
  expect(isReportPage(html.slice(0, 1000))).toBe(true);
  expect(isReportPage("<!doctype html><title>Notes</title>")).toBe(false);
  expect(isReportPage(`${" ".repeat(1000)}${html}`)).toBe(false);
});

test("the title is text", () => {
  const html = htmlOf(aRunReport({ run: aRun({ task: '</title><script>1</script>"' }) }));
  expect(html).toContain("<title>&#60;/title&#62;&#60;script&#62;1&#60;/script&#62;&#34;</title>");
});

test("transcripts that are too large are files, and the page names them", () => {
  const transcripts = [1, 2, 3].map((n) => aTranscript(`k3f9x2.${n}`, "x".repeat(3_000_000)));
  const { html, files } = renderReport(aRunReport({ transcripts }), {
    redactionDigest: "3f2a",
    filesFolder: "auth_files",
  });
  expect(Buffer.byteLength(html)).toBeLessThan(1_000_000);
  expect(html).toContain('"folder":"auth_files"');
  expect(html).toContain('"files":{"k3f9x2.1":"1.txt"');
  expect(files.map(({ name }) => name)).toEqual(["1.txt", "2.txt", "3.txt"]);
  expect(files[0]?.text).toMatch(
    /^asked: Make it so\.\n\nx{3000000}\n\n> Edit src\/login\.ts\n\ndenied: Bash\(npm publish\)\n/u,
  );
});

test("no source of the page makes elements of text", () => {
  const sources = globSync("app/**/*.{ts,tsx}", { cwd: import.meta.dirname });
  expect(sources.length).toBeGreaterThan(20);
  for (const source of sources) {
    const text = readFileSync(join(import.meta.dirname, source), "utf8");
    expect(text, source).not.toMatch(
      /innerHTML|outerHTML|insertAdjacentHTML|srcdoc|document\.write|eval/iu,
    );
  }
});
