import { chmodSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import {
  atlas,
  atlasJson,
  type AtlasPlace,
  atlasPlace,
  taskDirOf,
  waiting,
  workTreeOf,
} from "./atlas/harness.ts";
import { git } from "./harness.ts";

const ANY_AGENT = { ATLAS_CODER: "command:true", ATLAS_REVIEWER: "command:true" };

interface Found {
  readonly check: string;
  readonly state: string;
  readonly message: string;
  readonly next: readonly string[];
}

async function doctor(
  at: AtlasPlace,
  env = {},
): Promise<{ code: number | null; of: (check: string) => readonly Found[] }> {
  const { code, surroundings } = await atlasJson(at, ["doctor"], { env: { ...ANY_AGENT, ...env } });
  const found = surroundings as readonly Found[];
  return { code, of: (check) => found.filter((each) => each.check === check) };
}

test("the doctor of tasks looks at the same as that of runs, and makes nothing", async () => {
  const at = atlasPlace();
  const { code, of } = await doctor(at);
  expect(code).toBe(0);
  for (const check of ["agents", "git", "disk", "folders", "limits"]) {
    expect(of(check), check).toMatchObject([{ state: "ok" }]);
  }
  expect(of("folders")[0]?.message).toContain("atlas home");
  expect(of("command")).toMatchObject([{ message: "atlas is not on the PATH" }]);
  expect(of("keys")).toMatchObject([
    { state: "ok", message: "no private key yet: the first signing makes one" },
  ]);
  const none = await doctor(at, { ATLAS_CODER: "nosuch" });
  expect(none.code).toBe(1);
  expect(none.of("settings")).toMatchObject([{ state: "problem" }]);
});

test("a task that waits is named; a key that others can read is a problem until it is closed to them", async () => {
  const at = atlasPlace();
  await waiting(at);
  await atlas(at, ["keys", "init"]);
  const key = join(at.home, "keys/master.key");
  const healthy = await doctor(at);
  expect(healthy.code).toBe(0);
  expect(healthy.of("keys")).toMatchObject([{ state: "ok", message: "the private key is here" }]);
  const [task] = healthy.of("tasks");
  expect(task?.message).toMatch(/^task-[0-9a-f]{8} waits for you: fix null pointer/u);
  const [, ...args] = (task?.next[0] ?? "").split(" ");
  expect((await atlas(at, args)).code).toBe(0);

  chmodSync(key, 0o644);
  const open = await doctor(at);
  expect(open.code).toBe(1);
  expect(open.of("keys")).toMatchObject([
    { state: "problem", next: [expect.stringContaining(`chmod 600 ${key}`)] },
  ]);
  chmodSync(key, 0o600);
  rmSync(key);
  rmSync(`${key}.bak`);
  expect((await doctor(at)).of("keys")).toMatchObject([{ state: "problem" }]);
});

test("a workspace whose folder is gone is a warning, and what is typed then settles it", async () => {
  const at = atlasPlace();
  await waiting(at);
  const tree = workTreeOf(at);
  renameSync(tree, `${tree}.away`);
  const gone = await doctor(at);
  expect(gone.code).toBe(0);
  const [space] = gone.of("spaces");
  expect(space).toMatchObject({
    state: "warning",
    message: expect.stringContaining(`${tree} is gone`),
  });
  const name = space?.message.split(":")[0] ?? "";
  expect(await atlas(at, ["abandon", name, "--yes"])).toMatchObject({ code: 0 });
  const after = (await doctor(at)).of("spaces")[0]?.next[0] ?? "";
  expect(after).toContain(`atlas workspace close ${name}`);
  const closed = await atlas(at, [
    ...after
      .replace(/ {3}# .*$/u, "")
      .split(" ")
      .slice(1),
    "--yes",
  ]);
  expect(closed, closed.stderr).toMatchObject({ code: 0 });
  expect((await doctor(at)).of("spaces")).toEqual([]);
  expect(git(at, "branch", "--list")).toContain("fix");
});

test("a task that cannot be read is a problem", async () => {
  const at = atlasPlace();
  await waiting(at);
  const dir = taskDirOf(at);
  for (const name of readdirSync(dir).filter((each) => /^(?:hook\.json|history)/u.test(each))) {
    rmSync(join(dir, name), { recursive: true });
  }
  writeFileSync(join(dir, "hook.json"), "{");
  const { code, of } = await doctor(at);
  expect(code).toBe(1);
  expect(of("tasks")).toMatchObject([
    { state: "problem", message: expect.stringContaining("cannot be read") },
  ]);
});
