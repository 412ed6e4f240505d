import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ATLAS } from "./atlas/harness.ts";
import { emptyPlace, git, lastRecord, MAIN, type Place, place, quasar, write } from "./harness.ts";
import { frozen, full, mounted, noMounts, readOnly } from "./mounted.ts";

if (noMounts !== undefined) console.warn(noMounts);

interface Found {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly next: readonly string[];
}

interface Told {
  readonly code: number | null;
  readonly all: readonly Found[];
  readonly of: (check: string) => Found | undefined;
}

/** An agent's program that only tells its version and who is logged in. */
function withAgent(at: Place, name: string, status: string, exitCode = 0): Place {
  const bin = join(at.outside, "agents");
  const script = `#!/bin/sh
case "$*" in
  --version) echo '${name} 2.1.330' ;;
  *status*) printf '%s\\n' '${status}'; exit ${exitCode} ;;
  *) echo "asked: $*" >> '${at.outside}/asked' ;;
esac
`;
  write(bin, { [name]: script });
  chmodSync(join(bin, name), 0o755);
  const { PATH = "" } = at.env;
  return { ...at, env: { ...at.env, PATH: PATH.startsWith(bin) ? PATH : `${bin}:${PATH}` } };
}

const IN = '{"loggedIn": true, "authMethod": "claude.ai", "email": "a@b.c"}';
const OUT = '{"loggedIn": false, "authMethod": "none"}';

async function doctor(at: Place, options: Parameters<typeof quasar>[2] = {}): Promise<Told> {
  const done = await quasar(at, ["doctor", "--json"], options);
  const all = lastRecord(done)["surroundings"] as readonly Found[];
  return { code: done.code, all, of: (check) => all.find((each) => each.check === check) };
}

test("the doctor tells an agent's version and login, and never who it is", async () => {
  const at = withAgent(place(), "claude", IN);
  const { code, of } = await doctor(at);
  expect(of("claude")).toMatchObject({ state: "ok", message: "2.1.330, logged in (claude.ai)" });
  expect(of("agents")).toMatchObject({ state: "ok", message: expect.stringContaining("codex") });
  expect(code).toBe(0);
  const screen = await quasar(at, ["doctor"]);
  expect(screen.stdout).toContain("  claude   2.1.330, logged in (claude.ai)\n");
  expect(screen.stdout).not.toContain("a@b.c");
});

test("an agent that the settings name and that cannot ask its model is a problem, with the command that helps", async () => {
  const at = withAgent(place(), "claude", OUT, 1);
  const { code, of } = await doctor(at);
  expect(code).toBe(1);
  expect(of("claude")).toMatchObject({ state: "problem", next: ["claude auth login"] });
  const named = { QUASAR_CODER: "codex", QUASAR_REVIEWER: "codex" };
  const other = await doctor(at, { env: named });
  expect(other.code).toBe(1);
  expect(other.of("claude")).toMatchObject({ state: "ok", message: "2.1.330, not logged in" });
  expect(other.of("codex")).toMatchObject({
    state: "problem",
    next: ["npm install -g @openai/codex", 'quasar run "…" --coder claude --reviewer claude'],
  });
});

test("the doctor says how much room there is where a run writes", async () => {
  const at = withAgent(place(), "claude", IN);
  const { of } = await doctor(at);
  expect(of("disk")?.message).toMatch(/^\d.* free: work tree, git folder, runs, state, cache$/u);
});

/** A place whose agent is fine, and whose user commits by a name. */
function fine(): Place {
  const at = withAgent(place(), "claude", IN);
  git(at, "config", "--global", "user.name", "A User");
  git(at, "config", "--global", "user.email", "user@localhost");
  return at;
}

/** Types a step's command where it stands, without what is said about it. */
function typed(at: Place, step: string | undefined): void {
  const command = step?.replace(/ {3}# .*$/su, "") ?? "";
  execFileSync("/bin/sh", ["-c", command], { cwd: at.repo, env: at.env, stdio: "pipe" });
}

test("the doctor finds nothing to say against a place that is fit for a run", async () => {
  const at = fine();
  const { code, all } = await doctor(at);
  expect(code).toBe(0);
  const wrong = all.filter(({ state }) => state !== "ok").map(({ check }) => check);
  expect(wrong).toEqual(["command"]);
  const states = all.map(({ check }) => check);
  expect(states).toEqual(["claude", "agents", "git", "disk", "folders", "limits", "command"]);
  expect(readdirSync(join(at.repo, ".git"))).not.toContain("quasar");
});

interface Trap {
  readonly name: string;
  readonly check: string;
  readonly state: "warning" | "problem";
  readonly set: (at: Place) => void;
  /** Whether its first command, typed as it is shown, takes it away. */
  readonly settles?: true;
}

const TRAPS: readonly Trap[] = [
  {
    name: "a detached HEAD",
    check: "branch",
    state: "warning",
    set: (at) => void git(at, "checkout", "-q", "--detach"),
    settles: true,
  },
  {
    name: "a repository without a commit",
    check: "branch",
    state: "problem",
    set: (at) => void git(at, "checkout", "-q", "--orphan", "new"),
    settles: true,
  },
  {
    name: "conflicts without an operation",
    check: "index",
    state: "problem",
    set: (at) => {
      write(at.repo, { "a.txt": "stashed\n" });
      git(at, "stash");
      write(at.repo, { "a.txt": "committed\n" });
      git(at, "commit", "-qam", "Another");
      spawnSync("git", ["stash", "pop"], { cwd: at.repo, env: at.env });
    },
  },
  {
    name: "an address that is not set",
    check: "identity",
    state: "warning",
    set: (at) => void git(at, "config", "--global", "--unset", "user.email"),
    settles: true,
  },
  {
    name: "an SSH key to sign with that is missing",
    check: "signing",
    state: "problem",
    set: (at) => {
      git(at, "config", "commit.gpgsign", "true");
      git(at, "config", "gpg.format", "ssh");
      git(at, "config", "user.signingkey", "~/.ssh/no-such-key");
    },
  },
  {
    name: "an OpenPGP key to sign with where there are no keys",
    check: "signing",
    state: "problem",
    set: (at) => {
      git(at, "config", "commit.gpgsign", "true");
      git(at, "config", "user.signingkey", "0123456789ABCDEF");
    },
  },
  {
    name: "a pre-commit hook that may not be executed",
    check: "hooks",
    state: "warning",
    set: (at) => write(at.repo, { ".git/hooks/pre-commit": "#!/bin/sh\n" }),
    settles: true,
  },
  {
    name: "a folder of git hooks that is not there",
    check: "hooks",
    state: "warning",
    set: (at) => void git(at, "config", "core.hooksPath", "/no/such/hooks"),
  },
  {
    name: "files under Git LFS that nobody has set up",
    check: "lfs",
    state: "warning",
    set: (at) => {
      write(at.repo, { ".gitattributes": "*.bin filter=lfs -text\n", "a.bin": "x\n" });
      git(at, "add", ".");
      git(at, "commit", "-qm", "Add a file");
    },
  },
];

test.for(TRAPS)("the doctor finds $name", async ({ check, state, set, settles }) => {
  const at = fine();
  set(at);
  const { code, of } = await doctor(at);
  expect(of(check)).toMatchObject({ check, state });
  expect(of(check)?.next.length).toBeGreaterThan(0);
  expect(code).toBe(state === "problem" ? 1 : 0);
  if (settles !== true) return;
  typed(at, of(check)?.next[0]);
  expect((await doctor(at)).of(check)?.state ?? "ok").toBe("ok");
});

test("the doctor finds a shallow clone, and what it names makes it whole", async () => {
  const at = fine();
  write(at.repo, { "a.txt": "two\n" });
  git(at, "commit", "-qam", "Second");
  const clone = join(at.outside, "clone");
  git(at, "clone", "-q", "--depth", "1", `file://${at.repo}`, clone);
  const shallow = { ...at, repo: clone };
  const found = (await doctor(shallow)).of("history");
  expect(found?.state).toBe("warning");
  typed(shallow, found?.next[0]);
  expect((await doctor(shallow)).of("history")).toBeUndefined();
});

test("the doctor names the git hooks of a commit, and a key that is here", async () => {
  const at = fine();
  write(at.repo, {
    ".git/hooks/pre-commit": "#!/bin/sh\n",
    ".git/hooks/commit-msg": "#!/bin/sh\n",
  });
  for (const name of ["pre-commit", "commit-msg"])
    chmodSync(join(at.repo, ".git/hooks", name), 0o755);
  write(at.outside, { "home/.ssh/id": "a key\n", "home/.ssh/id.pub": "ssh-ed25519 AAAA a\n" });
  git(at, "config", "commit.gpgsign", "true");
  git(at, "config", "gpg.format", "ssh");
  git(at, "config", "user.signingkey", "~/.ssh/id.pub");
  const { of } = await doctor(at);
  expect(of("hooks")?.message).toBe(
    `at each commit: pre-commit, commit-msg (${at.repo}/.git/hooks)`,
  );
  expect(of("signing")).toMatchObject({ state: "ok" });
});

test("a program that a repository names for signing is not started", async () => {
  const at = fine();
  write(at.outside, { "evil.sh": `#!/bin/sh\ntouch '${at.outside}/started'\n` });
  chmodSync(join(at.outside, "evil.sh"), 0o755);
  write(at.outside, { "home/.gnupg/x": "" });
  git(at, "config", "commit.gpgsign", "true");
  git(at, "config", "gpg.program", join(at.outside, "evil.sh"));
  git(at, "config", "user.signingkey", "0123456789ABCDEF");
  expect((await doctor(at)).of("signing")).toMatchObject({ state: "unknown" });
  expect(existsSync(join(at.outside, "started"))).toBe(false);
});

test("the doctor says whose quasar is on the PATH, and how else this one starts", async () => {
  const at = fine();
  const bin = join(at.outside, "installed");
  const stranger = join(bin, "lib/node_modules/@quasar/cli");
  write(stranger, { "package.json": '{"name":"@quasar/cli"}', "bin/quasar": "#!/bin/sh\n" });
  chmodSync(join(stranger, "bin/quasar"), 0o755);
  symlinkSync("lib/node_modules/@quasar/cli/bin/quasar", join(bin, "quasar"));
  const env = { PATH: `${bin}:${at.env["PATH"]}` };
  const other = (await doctor(at, { env })).of("command");
  expect(other).toMatchObject({ state: "warning", next: [`alias quasar=${MAIN}`] });
  expect(other?.message).toContain("of the package @quasar/cli");
  symlinkSync(MAIN, join(bin, "quasar-loop"));
  expect((await doctor(at, { env })).of("command")?.next).toEqual(["alias quasar=quasar-loop"]);
  rmSync(join(bin, "quasar"));
  symlinkSync(MAIN, join(bin, "quasar"));
  expect((await doctor(at, { env })).of("command")).toMatchObject({ state: "ok" });
});

test("the doctor finds few descriptors, and says how there are more", async () => {
  const few = await doctor(fine(), { openFiles: 100 });
  expect(few.of("limits")).toMatchObject({ state: "warning" });
  const next = few.of("limits")?.next[0] ?? "";
  expect(next.startsWith("ulimit -n 4096 ")).toBe(true);
});

test("outside a repository the doctor says so, and looks at all the rest", async () => {
  const at = withAgent(emptyPlace(), "claude", IN);
  const { code, of } = await doctor(at);
  expect(code).toBe(1);
  expect(of("tree")).toMatchObject({
    state: "problem",
    next: [expect.stringContaining("git init")],
  });
  expect(of("claude")).toMatchObject({ state: "ok" });
  expect(of("git")).toMatchObject({ state: "ok" });
});

test("a repository of another user is named, and what is typed then lets git work in it", async () => {
  const at = fine();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  write(at.outside, {
    "git-bin/git": `#!/bin/sh\nGIT_TEST_ASSUME_DIFFERENT_OWNER=1 exec '${real}' "$@"\n`,
  });
  chmodSync(join(at.outside, "git-bin/git"), 0o755);
  const env = { PATH: `${at.outside}/git-bin:${at.env["PATH"]}` };
  const found = (await doctor(at, { env })).of("tree");
  expect(found).toMatchObject({
    state: "problem",
    message: expect.stringContaining("another user"),
  });
  typed(at, found?.next[0]);
  expect((await doctor(at, { env })).of("tree")).toBeUndefined();
});

test("settings that cannot be read, or are not trusted yet, are reported, and no agent is taken for named", async () => {
  const at = place();
  write(at.repo, { ".quasar/config.toml": 'coder = "command:./run.sh"\n' });
  const untrusted = await doctor(at);
  expect(untrusted.of("settings")).toMatchObject({ state: "warning" });
  expect(untrusted.of("agents")).toMatchObject({ state: "ok" });
  write(at.repo, { ".quasar/config.toml": "coder = \n" });
  expect((await doctor(at)).of("settings")).toMatchObject({ state: "problem" });
});

test.skipIf(noMounts !== undefined).for([
  ["a read-only HOME", readOnly('"$HOME"'), "state /"],
  ["a read-only .git", frozen('"$REPO/.git"'), "git folder /"],
  ["a full disk of runs", `mkdir "$REPO/.git/quasar"; ${full('"$REPO/.git/quasar"')}`, "runs /"],
] as const)("the doctor finds %s", ([, mounts, what]) => {
  const { status, stdout } = mounted(fine(), ["doctor", "--json"], { mounts });
  const found = lastRecord({ stdout })["surroundings"] as readonly Found[];
  const folders = found.find(({ check, state }) => check === "folders" && state === "problem");
  expect(folders?.message).toContain(what);
  expect(folders?.next[0]).toMatch(/^df /u);
  expect(status).toBe(1);
});

test("what agents print does not reach the terminal as it is", async () => {
  const hostile = '{"loggedIn": true, "authMethod": "\\u001b[31mred\\u0007"}';
  const at = withAgent(place(), "claude", hostile);
  const { stdout } = await quasar(at, ["doctor"]);
  expect(stdout).toContain("logged in (red)");
  expect(stdout).not.toContain("\u001b");
});

test.for([
  ["quasar", MAIN],
  ["atlas", ATLAS],
] as const)("%s init tells who is logged in, and how somebody logs in", async ([, main]) => {
  const alone = withAgent(place(), "claude", OUT, 1);
  expect((await quasar(alone, ["init"], { main })).stdout).toContain("claude auth login\n");
  const at = withAgent(withAgent(place(), "codex", "Logged in using ChatGPT"), "claude", OUT, 1);
  const { stdout } = await quasar(at, ["init"], { main });
  expect(stdout).toContain("  claude   2.1.330, not logged in\n");
  expect(stdout).toContain("  codex    2.1.330, logged in (ChatGPT)\n");
  expect(stdout).toContain(' "…" --coder codex --reviewer codex\n');
  const told = lastRecord(await quasar(at, ["init", "--json"], { main }));
  expect(told["agents"]).toMatchObject([{ login: { state: "out" } }, { login: { state: "in" } }]);
});
