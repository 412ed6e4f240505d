import { execFileSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { plantedKey, plantedTokens } from "@quasar/vitest/planted-secrets";
import { expect, onTestFinished, test } from "vitest";
// @boundaries-ignore one fake of GitHub's program for the tests of steps and of the command
import { installFakeGh } from "../../../../packages/tasks/test/fake-gh.ts";
import {
  ATLAS,
  type Finished,
  git,
  makePlace,
  type Place,
  quasar,
  removePlace,
} from "../../src/blackbox/place.ts";

const tokens = plantedTokens();
const key = plantedKey();
/** No variable holds one of them: they are known by their form alone. */
const PLANTED: readonly string[] = [...Object.values(tokens), key.text];
/** Parts of them, by kind: where one of these is found, so much of a secret is. */
const PARTS: readonly (readonly [kind: string, part: string])[] = [
  ...Object.entries(tokens).map(([kind, token]) => [kind, token.slice(12, 28)] as const),
  ...key.lines.map((line) => ["private key", line.slice(0, 40)] as const),
];
const ENV_VALUE = `env-${randomBytes(8).toString("hex")}-value`;

const HEAD = (at: Place): string => `
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
const { planted, envValue } = JSON.parse(readFileSync(${JSON.stringify(join(at.root, "planted.json"))}, "utf8"));
const counter = process.argv[1] + ".count";
const nth = existsSync(counter) ? readFileSync(counter, "utf8").length + 1 : 1;
writeFileSync(counter, "x".repeat(nth));
const all = planted.join("\\n");
const spelled = [all, JSON.stringify(planted), planted.map((each) => "+ key: '" + each + "'").join("\\n")];
`;

const CODER = `
for (const text of spelled) process.stdout.write(text + "\\n");
for (const text of spelled) process.stderr.write(text + "\\n");
for (const each of planted) {
  process.stdout.write(each.slice(0, 9));
  await sleep(3);
  process.stdout.write(each.slice(9) + "\\n");
}
writeFileSync("work.txt", "right " + nth + "\\n");
process.stdout.write("I use " + envValue + " and\\n" + all + "\\nCOMMIT: Use " + envValue + " " + planted[0] + "\\n");
`;

/** As Claude Code streams: what comes whole comes in pieces before. */
const CLAUDE = `
const session_id = process.argv.find((word) => word.startsWith("--session-id="))?.slice(13) ?? "";
const print = (event) => process.stdout.write(JSON.stringify({ session_id, ...event }) + "\\n");
const said = "I use " + envValue + " and\\n" + all + "\\nCOMMIT: Use " + envValue + " " + planted[0];
const usage = { input_tokens: 10, output_tokens: 10 };
const model = "claude-sonnet-4-5";
const stream = (event) => print({ type: "stream_event", event, parent_tool_use_id: null });
print({ type: "system", subtype: "init", claude_code_version: "2.1.329", model, tools: [] });
stream({ type: "message_start", message: { id: "m1", model, usage } });
for (const text of said.match(/[^]{1,6}/g)) stream({ type: "content_block_delta", index: 0, delta: { type: "text_delta", text } });
for (const partial_json of all.match(/[^]{1,6}/g)) stream({ type: "content_block_delta", index: 1, delta: { type: "input_json_delta", partial_json } });
stream({ type: "message_delta", delta: {}, usage });
const tool = { type: "tool_use", id: "t1", name: "Bash", input: { command: "echo " + all } };
print({ type: "assistant", message: { id: "m1", model, content: [{ type: "text", text: said }, tool], usage } });
print({ type: "user", message: { content: [{ type: "tool_result", tool_use_id: "t1", content: all }] } });
writeFileSync("work.txt", "right " + nth + "\\n");
print({ type: "result", subtype: "success", is_error: false, result: said, num_turns: 1, total_cost_usd: 0.01, usage, permission_denials: [] });
`;

const REVIEWER = `
process.stdout.write("looked at\\n" + all + "\\n");
if (nth === 1) process.stdout.write("ISSUE:\\nSEVERITY: major\\nDESCRIPTION: it logs " + planted.slice(0, -1).join(" ") + "\\n");
else process.stdout.write("APPROVED: they are gone\\n\\nREPORT:\\nSATISFACTION: high\\nRISK: low\\nNEEDS_HUMAN_REVIEW: no\\nSUMMARY: it held " + planted.slice(0, -1).join(" ") + "\\n");
`;

const LINT = `
for (const text of spelled) process.stdout.write("lint: " + text + "\\n");
process.exitCode = nth === 1 ? 1 : 0;
`;

const CHECK = `
for (const text of spelled) process.stderr.write("check: " + text + "\\n");
`;

/** A program in the place of an agent, or of a check. */
function program(at: Place, name: string, body: string): string {
  const path = join(at.root, `${name}.mjs`);
  writeFileSync(path, HEAD(at) + body);
  return `${process.execPath} ${path}`;
}

function withSecrets(): Place {
  const at = makePlace("secrets-by-form");
  onTestFinished(() => removePlace(at));
  writeFileSync(
    join(at.root, "planted.json"),
    JSON.stringify({ planted: PLANTED, envValue: ENV_VALUE }),
  );
  git(at, "config", "user.name", "Test");
  git(at, "config", "user.email", "test@localhost");
  writeFileSync(join(at.repo, ".gitignore"), ".env*\n");
  git(at, "add", "--all");
  git(at, "commit", "-qm", "Ignore");
  writeFileSync(join(at.repo, ".env.local"), `MY_SETTING="${ENV_VALUE}"\n`);
  return at;
}

/** The bytes that a validation command printed: a receipt signs their digest, and nothing shows them. */
const EVIDENCE = /\/artifacts\/receipts\/[^/]+\.(?:out|err)$/;

/** All texts of a folder, by their names, but for the tree's own `.env*` files. */
function textsIn(root: string): readonly (readonly [name: string, text: string])[] {
  const entries = readdirSync(root, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && !entry.name.startsWith(".env"));
  return files.map(({ parentPath, name }) => {
    const path = join(parentPath, name);
    return [path.slice(root.length), readFileSync(path).toString()];
  });
}

const printed = (finished: readonly Finished[]) =>
  finished.map(({ stdout, stderr }, at) => [`output ${at}`, `${stdout}${stderr}`] as const);

/** Where some of each planted secret is found that should be in none. */
function leaks(texts: readonly (readonly [name: string, text: string])[]): readonly string[] {
  return texts.flatMap(([name, text]) => {
    const kinds = PARTS.filter(([, part]) => text.includes(part)).map(([kind]) => kind);
    return [...new Set(kinds)].map((kind) => `${kind} in ${name}`);
  });
}

const commits = (at: Place): string => git(at, "log", "--all", "--format=%an %ae %cn %ce %B %N");

test.for(["command", "claude"] as const)(
  "no token and no private key that agents and checks print is in anything that quasar stores, shows or commits: a coder by %s",
  async (kind) => {
    const at = withSecrets();
    const bin = join(at.root, "bin");
    mkdirSync(bin);
    const claude = program(at, "claude", CLAUDE);
    writeFileSync(join(bin, "claude"), `#!/bin/sh\nexec ${claude} "$@"\n`);
    chmodSync(join(bin, "claude"), 0o755);
    const env = { PATH: `${bin}${delimiter}${at.env["PATH"]}` };
    const coder = kind === "claude" ? kind : `command:${program(at, "coder", CODER)}`;
    const args = [
      ...["run", `Write work.txt for ${ENV_VALUE}`],
      ...["--coder", coder, "--reviewer", `command:${program(at, "reviewer", REVIEWER)}`],
      ...["--lint", program(at, "lint", LINT), "--filter", program(at, "check", CHECK)],
    ];
    const finished = [await quasar(at, args, { env })];
    expect(finished[0]?.code, `${finished[0]?.stdout}${finished[0]?.stderr}`).toBe(0);
    for (const look of [
      ["show"],
      ["show", "--json"],
      ["log"],
      ["log", "--json"],
      ["status", "--json"],
    ]) {
      finished.push(await quasar(at, look, { env }));
    }
    const sinks = [".git/quasar", "../home"].flatMap((dir) => textsIn(join(at.repo, dir)));
    expect(sinks.length).toBeGreaterThan(10);
    expect(leaks([...sinks, ...printed(finished), ["commits", commits(at)]])).toEqual([]);
    expect(commits(at)).toContain("[redacted]");
    expect(commits(at)).not.toContain(ENV_VALUE);
    expect(sinks.some(([, text]) => text.includes("[redacted]"))).toBe(true);
  },
);

test("no token and no private key is in anything that atlas stores, shows, commits or sends, and no value of .env in what it sends", async () => {
  const at = withSecrets();
  const bare = join(at.root, "bare");
  execFileSync("git", ["init", "--quiet", "--bare", "--template=", bare]);
  git(at, "remote", "add", "origin", "https://github.com/acme/widgets.git");
  git(at, "config", "remote.origin.pushurl", bare);
  git(at, "push", "--quiet", "origin", "main");
  const gh = installFakeGh(join(at.root, "gh"));
  gh.set({ remote: bare, checks: [[{ name: "build", bucket: "pass" }]] });
  const home = join(at.root, "atlas");
  const env = { PATH: `${gh.bin}${delimiter}${at.env["PATH"]}`, ATLAS_HOME: home };
  const notes = join(at.root, "notes");
  // Its work tree is another one: there the coder makes the file.
  const setUp = `writeFileSync(".env", "MY_SETTING=" + envValue + "\\n");\n`;
  const atlas = (args: readonly string[]) => quasar(at, args, { env, main: ATLAS });
  const args = [
    ...["start", `fix work.txt for ${ENV_VALUE}`, "--template", "task", "--workspace", "w"],
    ...["--coder", `command:${program(at, "coder", setUp + CODER)}`],
    ...["--reviewer", `command:${program(at, "reviewer", REVIEWER)}`],
    ...["--validate", program(at, "check", CHECK), "--use-local"],
    ...["--notify", `printf '%s\\n' "$ATLAS_MESSAGE" >> ${notes}`],
  ];
  const finished = [await atlas(args)];
  expect(finished[0]?.code, `${finished[0]?.stdout}${finished[0]?.stderr}`).toBe(9);
  for (const look of [
    ["status", "--json"],
    ["hook", "context"],
    ["hook", "export"],
    ["hook", "status"],
  ]) {
    finished.push(await atlas(look));
  }
  const stored = [...textsIn(home), ...textsIn(join(at.root, "home"))];
  const [request] = gh.state().pullRequests;
  const sent = JSON.stringify(request);
  expect(stored.length).toBeGreaterThan(10);
  const all = [
    ...stored.filter(([name]) => !EVIDENCE.test(name)),
    ...printed(finished),
    ["commits", commits(at)],
    ["pull request", sent],
  ] as const;
  expect(leaks(all)).toEqual([]);
  expect(sent).toContain("[redacted]");
  const told = readFileSync(notes, "utf8");
  expect(told).not.toBe("");
  expect(leaks([["notification", told]])).toEqual([]);
  for (const leaving of [commits(at), sent, told, git(at, "for-each-ref")]) {
    expect(leaving).not.toContain(ENV_VALUE);
  }
});
