import { execFileSync } from "node:child_process";
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createLineRedactor, createRedactor } from "../src/secrets/redact.ts";

const root = join(import.meta.dirname, "../../..");

function git(...args: readonly string[]): string {
  return execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 30 });
}

/** A password in a URL is known by its place, and taken out. */
const withoutPasswords = (text: string): readonly string[] =>
  text.split("\n").filter((line) => !/:\/\/[^\s/@]*@|%40/i.test(line));

const sources = git("ls-files", "*.ts", "*.json", "*.md", "*.yaml").trim().split("\n");
const code = sources.flatMap((path) => withoutPasswords(readFileSync(join(root, path), "utf8")));
const log = withoutPasswords(git("log", "-n", "20", "-p", "--stat", "--raw", "--no-ext-diff"));

const hash = (algorithm: string, encoding: "hex" | "base64"): string =>
  createHash(algorithm).update(randomBytes(8)).digest(encoding);
const times = (count: number, make: () => string): readonly string[] =>
  Array.from({ length: count }, make);

/** What is long and looks random, and is no secret. */
const ids: readonly string[] = [
  ...times(100, () => hash("sha1", "hex")),
  ...times(100, () => `sha512-${hash("sha512", "base64")}`),
  ...times(
    100,
    () => `index ${hash("sha1", "hex").slice(0, 7)}..${hash("sha1", "hex").slice(0, 7)} 100644`,
  ),
  ...times(100, randomUUID),
  ...times(100, () => `toolu_${randomBytes(18).toString("base64url").replaceAll(/[_-]/g, "x")}`),
  ...times(100, () => `msg_01${randomBytes(16).toString("hex")}`),
  ...times(100, () => `thread_${randomUUID()} session ${randomUUID()}.${randomBytes(1)[0]}`),
  ...times(100, () => `data:image/png;base64,${randomBytes(3000).toString("base64")}`),
  ...times(100, () => randomBytes(2000).toString("base64url")),
  ...times(100, () => randomBytes(30).toString("base64").toUpperCase()),
  ...randomBytes(6000).toString("base64").replaceAll(/.{76}/g, "$&\n").split("\n"),
  "-----BEGIN CERTIFICATE-----",
  ...randomBytes(900).toString("base64").replaceAll(/.{64}/g, "$&\n").split("\n"),
  "-----END CERTIFICATE-----",
  "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJx7wq1u2m0tqk9wq8l2o5m4n3b2v1c0x9z8l7k6j5h4 ada@example",
  "20261121-075412-0be958.1 task-20261121-075412-0be958/cycle-1",
  "sk-SK.UTF-8, sk-learn-1.5.2-cp312-cp312-manylinux_2_17_x86_64.whl, task-force-2026-report",
  "docker.io/library/node@sha256:0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
  "npm_config_registry npm_package_scripts_test npm_lifecycle_script hf_hub_download gho st",
  "ASIAN_MARKETS AROADMAP AIDAN AGPAVE ANPASSUNG ANVARIABLE_NAMES_OF_20_CHARS ASIATICA",
  'the eyJ of eyJhbGciOiJIUzI1NiJ9 is {"; glpat-short; figd_name; dapi_docs; hvs.value; SG.a.b.c',
  "process.env.GITHUB_TOKEN ?? '${{ secrets.GITHUB_TOKEN }}' # ghp_… or github_pat_…",
];

test.for([
  ["sources", code],
  ["commits and their diffs", log],
  ["ids, digests and base64", ids],
] as const)("leaves each line of %s as it is", ([, lines]) => {
  expect(lines.length).toBeGreaterThan(1000);
  const redact = createRedactor({});
  const redactLines = createLineRedactor([]);
  expect(lines.filter((line) => redact(line) !== line)).toEqual([]);
  expect(lines.map((line) => redactLines([line])[0])).toEqual(lines);
  const events = lines.map((text, at) => JSON.stringify({ type: "item", at, text }));
  expect(events.map((line) => redactLines([line])[0])).toEqual(events);
  const whole = lines.join("\n");
  expect(redact(whole)).toBe(whole);
});
