import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { lastRecord, MAIN, type Place, place, quasar, write } from "./harness.ts";
import { APPROVAL } from "./scripts.ts";

// docs/nebula.md as its reader follows it: its files, then its commands.

const text = readFileSync(new URL("../../../docs/nebula.md", import.meta.url), "utf8");

/** The files that the page gives, by their paths. */
const FILES: Readonly<Record<string, string>> = Object.fromEntries(
  [...text.matchAll(/^`([^`\n]+)`:\n\n```[a-z]+\n([^]*?)^```$/gmu)].map(([, path = "", body]) => [
    path,
    body ?? "",
  ]),
);

/** What the page has its reader type, and the exit code that it names. */
const LINES = [...text.matchAll(/^```sh\n([^]*?)^```$/gmu)]
  .flatMap(([, body = ""]) => body.trim().split("\n"))
  .map((line) => ({ line, code: Number(/# exits with (\d+)/u.exec(line)?.[1] ?? 0) }));

/** A coder for each phase of the page, and a reviewer that is content. */
const SCRIPT = {
  turns: [
    ...["prices", "cart", "page"].map((name) => ({
      role: "coder",
      match: `Write ${name}.txt`,
      files: { [`${name}.txt`]: `${name}\n` },
      text: "Written.",
    })),
    { role: "reviewer", text: APPROVAL },
  ],
};

function readerOf(): Place {
  const at = place({ "README.md": "# Shop\n" });
  write(at.repo, FILES);
  write(at.outside, { "script.json": JSON.stringify(SCRIPT) });
  const agent = `scripted:${join(at.outside, "script.json")}`;
  const author = { GIT_AUTHOR_NAME: "Ada", GIT_AUTHOR_EMAIL: "ada@localhost" };
  const committer = { GIT_COMMITTER_NAME: "Ada", GIT_COMMITTER_EMAIL: "ada@localhost" };
  const env = { ...at.env, ...author, ...committer, QUASAR_CODER: agent, QUASAR_REVIEWER: agent };
  return { ...at, env };
}

/** Types a line in a shell where `quasar` is the command as it is built. */
function type({ repo, env }: Place, line: string): Promise<{ code: number; printed: string }> {
  const command = `quasar() { '${process.execPath}' '${MAIN}' "$@"; }\n${line}`;
  return new Promise((resolve) => {
    execFile("sh", ["-c", command], { cwd: repo, env }, (error, stdout, stderr) => {
      resolve({ code: error === null ? 0 : Number(error.code), printed: stdout + stderr });
    });
  });
}

test("the page's nebula is complete: valid, without a warning, and planned as the page says", async () => {
  const at = readerOf();
  const valid = lastRecord(await quasar(at, ["nebula", "validate", ".nebulas/shop", "--json"]));
  expect(valid).toMatchObject({ phaseIds: ["prices", "cart", "page"], problems: [], exit: 0 });
  const plan = lastRecord(await quasar(at, ["nebula", "plan", ".nebulas/shop", "--json"]));
  expect(plan).toMatchObject({ maxWorkers: 3, totalUsd: 12, isVerified: true, waveCount: 2 });
});

test("every command of the page works, in its order", async () => {
  const at = readerOf();
  expect(LINES.length).toBeGreaterThan(10);
  for (const { line, code } of LINES) {
    const typed = await type(at, line);
    expect(typed.code, `${line}\n${typed.printed}`).toBe(code);
  }
  const files = ["cart.txt", "page.txt", "prices.txt"].map((name) =>
    readFileSync(join(at.repo, name), "utf8"),
  );
  expect(files).toEqual(["cart\n", "page\n", "prices\n"]);
  const refs = await type(at, "git for-each-ref --format='%(refname)'");
  expect(refs.printed).toBe("refs/heads/main\n");
});
