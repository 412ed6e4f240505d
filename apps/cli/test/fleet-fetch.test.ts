import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { place, quasar, write } from "./harness.ts";
import { keepKey, memoryFleet } from "./memory-fleet.ts";

const BRANCH = "nebula/demo";

/** A nebula that was given to a fleet; at the depot its branch is one commit further. */
async function aNebula() {
  const { key, ingress } = await memoryFleet();
  const at = place();
  keepKey(at, key);
  const depot = join(at.outside, "depot.git");
  await quasar(at, ["depot", "init", depot]);
  write(at.repo, {
    "demo/nebula.toml": '[nebula]\nname = "demo"\n',
    "demo/a.md": '+++\nid = "a"\ntitle = "A"\n+++\nDo a.\n',
  });
  const to = ["--fleet", ingress.url, "--depot", depot];
  expect((await quasar(at, ["nebula", "apply", "demo", "--auto", ...to])).code).toBe(0);
  const git = (...args: string[]): string => {
    const env = { ...process.env, ...at.env };
    const who = ["-c", "user.name=A", "-c", "user.email=a@example.org"];
    return execFileSync("git", [...who, ...args], { cwd: at.repo, env, encoding: "utf8" }).trim();
  };
  const commit = (message: string): string => {
    return git("commit-tree", "-p", "HEAD", "-m", message, "HEAD^{tree}");
  };
  const [landed, other] = [commit("Landed"), commit("Other")];
  git("push", "-q", depot, `${landed}:refs/heads/${BRANCH}`, `${other}:refs/heads/other`);
  return {
    ...{ at, depot, git, landed, other },
    async fetch(env: Readonly<Record<string, string>> = {}) {
      const args = ["nebula", "fetch", "--fleet", ingress.url, "--json"];
      const { stdout } = await quasar(at, args, { env });
      const last = stdout.trimEnd().split("\n").at(-1) ?? "";
      return JSON.parse(last) as Readonly<Record<string, unknown>>;
    },
  };
}

test("what comes here is what was checked, whatever the depot says next", async () => {
  const { at, depot, git, fetch, landed, other } = await aNebula();
  const real = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  const bin = join(at.outside, "bin-of-git");
  mkdirSync(bin);
  const moves = `'${real}' --git-dir='${depot}' update-ref refs/heads/${BRANCH} ${other}`;
  const script = `#!/bin/sh
    '${real}' "$@"; code=$?
    case " $* " in *" fetch "*) ${moves};; esac
    exit $code\n`;
  writeFileSync(join(bin, "git"), script);
  chmodSync(join(bin, "git"), 0o755);
  expect(await fetch({ PATH: `${bin}:${at.env["PATH"] ?? ""}` })).toMatchObject({
    type: "nebula_fetch",
    tipSha: landed,
  });
  expect(git("rev-parse", BRANCH)).toBe(landed);
  expect(git("ls-remote", depot, BRANCH)).toContain(other);
});

test("a branch that a work tree is on stays, and the command that helps does", async () => {
  const { at, git, fetch, landed } = await aNebula();
  git("branch", BRANCH, "HEAD");
  const tree = join(at.outside, "tree");
  git("worktree", "add", "-q", tree, BRANCH);
  const refused = await fetch();
  expect(refused).toMatchObject({
    ...{ type: "error", code: "ERR_BRANCH", message: `${BRANCH} is checked out in ${tree}` },
  });
  const [advice = ""] = refused["next"] as readonly string[];
  execFileSync("sh", ["-c", advice], { stdio: "ignore" });
  expect(await fetch()).toMatchObject({ type: "nebula_fetch", tipSha: landed });
  expect(git("rev-parse", BRANCH)).toBe(landed);
});
