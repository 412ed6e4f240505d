import { expect, test } from "vitest";
import { answeredFiles } from "./answer-files.ts";

const MANIFEST = 'FILE: nebula.toml\n```\n[nebula]\nname = "n"\n```\n';

test("files are taken by their names, whatever is around them", () => {
  const answer = `I have read it.\n\n${MANIFEST}\nThen:\n\nFILE: \`1.md\`\n\n~~~~~md\n+++\nid = "a"\n+++\n\`\`\`sh\nls\n\`\`\`\n~~~\n~~~~~\nFILE\n`;
  expect(answeredFiles(answer)).toEqual({
    files: [
      { name: "nebula.toml", text: '[nebula]\nname = "n"\n' },
      { name: "1.md", text: '+++\nid = "a"\n+++\n```sh\nls\n```\n~~~\n' },
    ],
    problems: [],
  });
});

test("what is named in a file's own text is no file", () => {
  const answer = `${MANIFEST}FILE: a.md\n\`\`\`\`\`\nFILE: b.md\n\`\`\`\nx\n\`\`\`\n\`\`\`\`\`\n`;
  expect(answeredFiles(answer).files.map(({ name }) => name)).toEqual(["nebula.toml", "a.md"]);
});

test.for([
  "../a.md",
  "a/b.md",
  "/etc/a.md",
  "..\\a.md",
  ".a.md",
  "a.sh",
  "a.md.toml",
  "other.toml",
  "a\u202e.md",
  "a b.md",
  "",
  `${"a".repeat(90)}.md`,
])("%j is no name of a file", (name) => {
  const { files, problems } = answeredFiles(`${MANIFEST}FILE: ${name}\n\`\`\`\nx\n\`\`\`\n`);
  expect(files.map((file) => file.name)).toEqual(["nebula.toml"]);
  expect(problems).toMatchObject([{ category: "invalid_path", severity: "error" }]);
  // oxlint-disable-next-line no-control-regex
  expect(JSON.stringify(problems)).not.toMatch(/[\u0000-\u001f\u202e]/u);
});

test.for([
  ["no file", "I cannot do that.", "unreadable"],
  ["a name twice", `${MANIFEST}${MANIFEST.replace("nebula", "NEBULA")}`, "invalid_path"],
  ["no fence", `${MANIFEST}FILE: a.md\n+++\n+++\n`, "syntax"],
  ["no end of a fence", `${MANIFEST}FILE: a.md\n\`\`\`\`\nx\n\`\`\`\n`, "syntax"],
  ["a long text", `${MANIFEST}FILE: a.md\n\`\`\`\n${"x".repeat(70_000)}\n\`\`\`\n`, "too_many"],
  [
    "many files",
    MANIFEST + Array.from({ length: 250 }, (_, n) => `FILE: ${n}.md\n\`\`\`\nx\n\`\`\`\n`).join(""),
    "too_many",
  ],
] as const)("%s is a problem", ([, answer, category]) => {
  expect(answeredFiles(answer).problems).toMatchObject([{ category }]);
});
