import { randomBytes } from "node:crypto";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import {
  type Finished,
  git,
  makePlace,
  type Place,
  quasar,
  removePlace,
} from "../../src/blackbox/place.ts";

const canary = (): string => `canary${randomBytes(12).toString("hex")}`;

/** Secrets as they are met, by the variable that holds each. */
const ENVIRONMENT: Readonly<Record<string, string>> = {
  ANTHROPIC_API_KEY: `sk-ant-${canary()}`,
  OPENAI_API_KEY: `sk-${canary()}`,
  GITHUB_TOKEN: `ghp_${canary()}`,
  GITLAB_TOKEN: `glpat-${canary()}`,
  NPM_TOKEN: `npm_${canary()}`,
  AWS_SECRET_ACCESS_KEY: `${canary()}/+${canary()}==`,
  AWS_SESSION_TOKEN: canary(),
  STRIPE_SECRET_KEY: `sk_live_${canary()}`,
  SLACK_BOT_TOKEN: `xoxb-${canary()}`,
  SERVICE_PASSWORD: `p"a\\s s&${canary()}%`,
  DB_PASSWORD: `ü${canary()}ß'$x`,
  SIGNING_PRIVATE_KEY: `-----BEGIN KEY-----\n${canary()}\n${canary()}\n-----END KEY-----`,
  SESSION_SECRET: canary(),
  COOKIE_SECRET: canary(),
  API_KEY: canary(),
  ACCESS_TOKEN: canary(),
  HF_TOKEN: `hf_${canary()}`,
  SENTRY_AUTH_TOKEN: canary(),
};

const DATABASE = canary();
const REMOTE = canary();

/** In URLs: of a database, and of the repository's remote. */
const DATABASE_URL = `postgres://app:${DATABASE}@127.0.0.1/app`;
const REMOTE_URL = `https://ada:${REMOTE}@127.0.0.1/repo.git`;

const SECRETS: readonly string[] = [...Object.values(ENVIRONMENT), DATABASE, REMOTE];

/** What agents and checks print: a password in a URL is known by where it stands, not by itself. */
const PRINTED: readonly string[] = [...Object.values(ENVIRONMENT), DATABASE_URL, REMOTE_URL];

/** What an agent prints of a secret: as it is, and as others write it. */
const encodings: readonly ((secret: string) => string)[] = [
  (secret) => secret,
  (secret) => JSON.stringify(secret).slice(1, -1),
  (secret) => encodeURIComponent(secret),
];

/** A program in the place of an agent, or of a check. */
function program(at: Place, name: string, body: string): string {
  const path = join(at.root, `${name}.mjs`);
  const counter = join(at.root, `${name}.count`);
  const head = `
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { execFileSync } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
const root = ${JSON.stringify(at.root)};
const secrets = JSON.parse(readFileSync(${JSON.stringify(join(at.root, "secrets.json"))}, "utf8"));
appendFileSync(${JSON.stringify(counter)}, "x");
const nth = readFileSync(${JSON.stringify(counter)}, "utf8").length;
const encodings = [${encodings.map(String).join()}];
const written = secrets.flatMap((secret) => encodings.map((encode) => encode(secret)));
const print = (text) => process.stdout.write(text + "\\n");
`;
  writeFileSync(path, `${head}${body}`);
  return `${process.execPath} ${path}`;
}

const CODER = `
print(execFileSync("git", ["remote", "-v"], { encoding: "utf8" }));
for (const text of written) print("found: " + text);
for (const text of written) process.stderr.write("noted: " + text + "\\n");
for (const secret of secrets) {
  const half = secret.length >> 1;
  process.stdout.write(secret.slice(0, half));
  await sleep(5);
  process.stdout.write(secret.slice(half) + "\\n");
}
writeFileSync("work.txt", "right " + nth + "\\n");
if (nth === 3) {
  writeFileSync(root + "/held", "");
  while (!existsSync(root + "/go")) await sleep(20);
}
print("Done with " + written.join(" "));
`;

const REVIEWER = `
print("looked at " + written.join(" "));
if (nth === 1) print("ISSUE:\\nSEVERITY: major\\nDESCRIPTION: it logs " + written.join(" ") + "\\n");
else print("APPROVED: gone are " + written.join(" ") + "\\n\\nREPORT:\\nSATISFACTION: high\\nRISK: low\\nNEEDS_HUMAN_REVIEW: no\\nSUMMARY: it held " + written.join(" ") + "\\n");
`;

const LINT = `
for (const text of written) print("lint: " + text);
process.exitCode = nth === 1 ? 1 : 0;
`;

/** Where each secret is found that should be in none: files, refs and commits, and what was printed. */
function leaks(at: Place, finished: readonly Finished[]): readonly string[] {
  const texts = new Map<string, string>();
  for (const dir of [".git/quasar", ".quasar", "../home"]) {
    const root = join(at.repo, dir);
    const entries = readdirSync(root, { recursive: true, withFileTypes: true });
    for (const entry of entries.filter((each) => each.isFile())) {
      const path = join(entry.parentPath, entry.name);
      texts.set(path.slice(at.root.length), readFileSync(path).toString());
    }
  }
  texts.set("commits", git(at, "log", "--all", "--format=%an %ae %cn %ce %B %N"));
  texts.set("refs", git(at, "for-each-ref"));
  texts.set("reflog", git(at, "reflog", "--all"));
  for (const [index, { stdout, stderr }] of finished.entries()) {
    texts.set(`output ${index}`, `${stdout}${stderr}`);
  }
  return [...texts].flatMap(([where, text]) =>
    SECRETS.flatMap((secret) => {
      const forms = [...encodings.map((encode) => encode(secret)), ...linesOf(secret)];
      const name = namesOf(secret);
      return forms.some((form) => text.includes(form)) ? [`${name} in ${where}`] : [];
    }),
  );
}

async function onceThere(file: string): Promise<void> {
  while (!existsSync(file)) await sleep(20);
}

/** Each line of a secret is one, too. */
function linesOf(secret: string): readonly string[] {
  return secret.split("\n").filter((line) => line.startsWith("canary"));
}

function namesOf(secret: string): string {
  const entry = Object.entries(ENVIRONMENT).find(([, value]) => value === secret);
  return entry?.[0] ?? (secret === REMOTE ? "the remote's password" : "the database's password");
}

test(`${SECRETS.length} secrets that agents and checks print are in nothing that is stored or shown`, async () => {
  const at = makePlace("secrets");
  onTestFinished(() => removePlace(at));
  git(at, "remote", "add", "origin", REMOTE_URL);
  writeFileSync(join(at.root, "secrets.json"), JSON.stringify(PRINTED));
  const env = { ...ENVIRONMENT, DATABASE_URL };
  const pass = [...Object.keys(env)].flatMap((name) => ["--pass-env", name]);
  const args = [
    ...["run", "Write work.txt", ...pass],
    ...["--coder", `command:${program(at, "coder", CODER)}`],
    ...["--reviewer", `command:${program(at, "reviewer", REVIEWER)}`],
    ...["--lint", program(at, "lint", LINT)],
  ];
  // In the second cycle: the coder's second turn fixes what the linter found in the first.
  let killing: Promise<unknown> | undefined;
  const killed = await quasar(at, args, {
    env,
    onOutput: (_, pid) => {
      killing ??= onceThere(join(at.root, "held")).then(() => process.kill(pid, "SIGKILL"));
    },
  });
  expect(killed.signal, killed.stderr).toBe("SIGKILL");
  expect(killed.stdout).toContain("cycle 2");
  expect(SECRETS.length).toBe(20);
  writeFileSync(join(at.root, "go"), "");
  const resumed = await quasar(at, ["resume"], { env });
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(leaks(at, [killed, resumed])).toEqual([]);
});
