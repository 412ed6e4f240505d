import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { git } from "../harness.ts";
import { atlas, atlasJson, atlasPlace, taskDirOf, waiting, workTreeOf } from "./harness.ts";

test("looking after keys makes none by itself, and never one over another", async () => {
  const at = atlasPlace();
  const key = join(at.home, "keys/master.key");
  expect(await atlasJson(at, ["keys", "status"])).toMatchObject({ code: 0, hasKey: false });
  expect((await atlas(at, ["keys", "export"])).code).toBe(12);
  expect((await atlas(at, ["keys", "backup", join(at.outside, "copy")])).code).toBe(12);
  expect(existsSync(join(at.home, "keys"))).toBe(false);

  const made = await atlasJson(at, ["keys", "init"]);
  expect(made).toMatchObject({ code: 0, source: "created", generation: 0 });
  expect(await atlasJson(at, ["keys", "init"])).toMatchObject({ source: "loaded" });
  const copy = join(at.outside, "copy");
  expect((await atlas(at, ["keys", "backup", copy])).code).toBe(0);
  expect(readFileSync(copy)).toEqual(readFileSync(key));
  expect(statSync(copy).mode & 0o777).toBe(0o600);
  expect((await atlas(at, ["keys", "backup", copy])).code).toBe(6);

  expect(await atlasJson(at, ["keys", "rotate"])).toMatchObject({ generation: 1 });
  const exported = await atlas(at, ["keys", "export"]);
  expect(exported.stdout.match(/^ssh-ed25519 /gmu)).toHaveLength(2);

  chmodSync(key, 0o644);
  expect((await atlas(at, ["keys", "status"])).code).toBe(12);
  expect((await atlas(at, ["keys", "backup", `${copy}.2`])).code).toBe(12);
  writeFileSync(key, `${"ab".repeat(32)}\n`);
  chmodSync(key, 0o600);
  const another = await atlas(at, ["keys", "status"]);
  expect(another.code).toBe(12);
  expect(another.stderr).toContain("atlas keys init");
  rmSync(key);
  rmSync(`${key}.bak`);
  const missing = await atlas(at, ["keys", "status"]);
  expect(missing.code).toBe(12);
  expect(missing.stdout).toContain("atlas keys init");
});

// SPEC.md, statements 145, 149, 151, 154-157, 193, 225.
test("hook files go when they are old enough, and only then", async () => {
  const at = atlasPlace();
  await waiting(at);
  const hook = join(taskDirOf(at), "hook.json");
  expect((await atlas(at, ["cleanup"])).code).toBe(2);
  expect((await atlas(at, ["cleanup", "--hooks", "--retention", "-7d"])).code).toBe(2);
  const active = await atlasJson(at, ["cleanup", "--hooks", "--retention", "0"]);
  expect(active).toMatchObject({ code: 0, tasks: [] });
  await atlas(at, ["abandon", "--yes"]);
  expect(await atlasJson(at, ["cleanup", "--hooks"])).toMatchObject({ tasks: [] });
  const dry = await atlas(at, ["cleanup", "--hooks", "--retention", "0", "--dry-run"]);
  expect(dry.stdout).toContain("1 hook file would be removed");
  expect(dry.stdout).toMatch(/next +atlas prune --older-than 0$/mu);
  expect(existsSync(hook)).toBe(true);
  const gone = await atlas(at, ["cleanup", "--hooks", "--retention", "0"]);
  expect(gone.stdout).toContain("1 hook file removed");
  expect(existsSync(hook)).toBe(false);
  expect(existsSync(join(hook, "../HOOK.md"))).toBe(false);
  expect((await atlas(at, ["status", "--all"])).stdout).toContain("no tasks yet");
});

// SPEC.md, statements 144, 158.
test("a workspace is listed, closed and destroyed, and what would be lost is brought back as it says", async () => {
  const at = atlasPlace();
  await waiting(at, "write");
  const tree = workTreeOf(at);
  const name = "fix-null-pointer-in-config";
  expect((await atlas(at, ["workspace", "list"])).stdout).toContain(`${name}  active`);
  expect((await atlas(at, ["workspace", "destroy", name])).code).toBe(6);
  writeFileSync(join(tree, "precious.txt"), "not committed\n");
  const branch = git({ ...at, repo: tree }, "branch", "--show-current");
  const gone = await atlas(at, ["workspace", "destroy", name, "--force"]);
  expect(gone.code, gone.stderr).toBe(0);
  expect(existsSync(tree)).toBe(false);
  expect(git(at, "for-each-ref", "--format=%(refname)")).toBe("refs/heads/main");
  git(at, "gc", "-q", "--prune=now");
  const said = [...gone.stdout.matchAll(/^ *(?:next +)?(git -C .*)$/gmu)];
  expect(said, gone.stdout).toHaveLength(2);
  for (const [, command = ""] of said) execFileSync("sh", ["-c", command], { stdio: "pipe" });
  expect(git(at, "show", `${name}-uncommitted:precious.txt`)).toBe("not committed");
  expect(git(at, "show", `${branch}:work.txt`)).toBe("right");
  expect(existsSync(join(at.home, "workspaces", name, "tasks"))).toBe(true);
  expect((await atlas(at, ["status", "--all"])).stdout).toContain("no tasks yet");
  expect((await atlas(at, ["workspace", "close", name])).code).toBe(2);
});

// SPEC.md, statements 159.
test("init writes commented settings, and tells agents only where it may", async () => {
  const mine = "\ufeff# Mine\r\n";
  const at = atlasPlace({ "a.txt": "one\n", "CLAUDE.md": mine });
  const first = await atlas(at, ["init"]);
  expect(first.code, first.stderr).toBe(0);
  expect(first.stdout).toContain("atlas init --yes");
  expect(readFileSync(join(at.repo, "CLAUDE.md"), "utf8")).toBe(mine);
  expect(git(at, "status", "--porcelain")).toBe("?? .atlas/");
  expect((await atlas(at, ["start", "x", "--template", "none"])).stderr).not.toContain(
    "unknown key",
  );

  const second = await atlasJson(at, ["init", "--yes"]);
  expect(second).toMatchObject({ instructed: [{ file: "CLAUDE.md", how: "added" }] });
  const text = readFileSync(join(at.repo, "CLAUDE.md"), "utf8");
  expect(text).toMatch(
    /^\ufeff# Mine\r\n\r\n<!-- >>> atlas hook >>> -->\r\n## ATLAS Task Recovery/u,
  );
  const third = await atlasJson(at, ["init", "--yes"]);
  expect(third).toMatchObject({ created: [], instructed: [{ how: "there already" }] });
});

test("the templates are listed, one's own among them, and each told in full", async () => {
  const at = atlasPlace();
  const listed = await atlas(at, ["templates"]);
  expect(listed.stdout).toMatch(/^bugfix \(or bug, fix\)$/mu);
  expect(listed.stdout).toMatch(/^look, of your own$/mu);
  const one = await atlas(at, ["templates", "hotfix"]);
  expect(one.stdout).toMatch(/^patch\n/u);
  expect(one.stdout).toMatch(/ git_push +git push +\d +looks first/u);
  expect((await atlas(at, ["templates", "nonsense"])).code).toBe(2);
});
