import { cpSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sample } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { git } from "../harness.ts";
import {
  atlas,
  type AtlasPlace,
  atlasPlace,
  receiptsOf,
  reviewed,
  scripted,
  taskDirOf,
  waiting,
  workTreeOf,
} from "./harness.ts";

interface Scene {
  readonly at: AtlasPlace;
  /** Where the task works. */
  readonly there: AtlasPlace;
  readonly dir: string;
  /** In the order in which they were signed. */
  readonly ids: readonly string[];
  readonly file: (n: number) => string;
  /** The task's folder as it was with the first receipt only. */
  readonly back: () => void;
}

/** A task with three receipts, of which the last is of a failure. */
async function aScene(): Promise<Scene> {
  const at = atlasPlace();
  await waiting(at, "look", ["--validate", "test ! -e broken.txt"]);
  const there = { ...at, repo: workTreeOf(at) };
  const dir = taskDirOf(at);
  const ids: string[] = [];
  const validate = async (code: number): Promise<void> => {
    expect((await atlas(there, ["validate"])).code).toBe(code);
    ids.push(...receiptsOf(at).filter((id) => !ids.includes(id)));
  };
  const older = `${at.outside}/older`;
  await validate(0);
  cpSync(dir, older, { recursive: true });
  await validate(0);
  writeFileSync(join(there.repo, "broken.txt"), "broken\n");
  await validate(1);
  const back = (): void => {
    rmSync(dir, { recursive: true });
    cpSync(older, dir, { recursive: true });
  };
  const file = (n: number): string => join(dir, "artifacts/receipts", `${ids[n]}.dsse.json`);
  return { at, there, dir, ids, file, back };
}

const SCENES: readonly (readonly [what: string, tamper: (scene: Scene) => void, said: RegExp])[] = [
  ["the file of the newest receipt removed", ({ file }) => rmSync(file(2)), /its file is missing/u],
  [
    "a receipt's file truncated",
    ({ file }) => truncateSync(file(1), 200),
    /it is not JSON|not as we would write it|it is not an object/u,
  ],
  [
    "what was recorded before a command was started, changed",
    ({ file }) => {
      const path = file(0).replace(".dsse.json", ".started.json");
      writeFileSync(path, readFileSync(path, "utf8").replace("broken.txt", "a.txt"));
    },
    /started\.json is not what was started/u,
  ],
  ["the task's folder rolled back", ({ back }) => back(), /3 receipts were signed, 1 is here/u],
  [
    "a receipt cut out of the middle, with all that is on record of it",
    ({ back, file }) => {
      const paths = [".dsse.json", ".out", ".err"].map((end) => file(2).replace(".dsse.json", end));
      const kept = paths.map((path) => [path, readFileSync(path)] as const);
      back();
      for (const [path, bytes] of kept) writeFileSync(path, bytes);
    },
    /is not receipt 1 of the chain/u,
  ],
];

/** Every command that shows receipts. */
const COMMANDS: readonly (readonly [name: string, args: (scene: Scene) => readonly string[]])[] = [
  ["status", () => ["status"]],
  ["status --json", () => ["status", "--json"]],
  ["hook status", () => ["hook", "status"]],
  ["hook status --json", () => ["hook", "status", "--json"]],
  ["verify-receipt", ({ ids }) => ["hook", "verify-receipt", ids[0] ?? ""]],
  ["verify-receipt --json", ({ ids }) => ["hook", "verify-receipt", ids[0] ?? "", "--json"]],
  ["hook export", () => ["hook", "export"]],
  ["hook export --format md", () => ["hook", "export", "--format", "md"]],
  ["verify", ({ dir }) => ["verify", dir.split("/").at(-1) ?? ""]],
  ["verify --json", ({ dir }) => ["verify", dir.split("/").at(-1) ?? "", "--json"]],
];

/** Those that do something: what is wrong is a warning, and no success is reported. */
const ACTING = [
  ["resume", 9],
  ["validate", 10],
] as const;

test.for(sample(SCENES, 1, 1))(
  "%s is seen by every command that shows receipts",
  async ([, tamper, said]) => {
    const scene = await aScene();
    tamper(scene);
    await Promise.all(
      COMMANDS.map(async ([name, args]) => {
        const { code, stdout } = await atlas(scene.there, args(scene));
        expect([name, code]).toEqual([name, 10]);
        expect(stdout, name).toMatch(said);
      }),
    );
    const context = await atlas(scene.there, ["hook", "context"]);
    expect(context.stdout).toMatch(said);
    expect(context.stdout).toContain("do not rely on them");
    rmSync(join(scene.there.repo, "broken.txt"));
    for (const [name, code] of ACTING) {
      const acted = await atlas(scene.there, [name]);
      expect([name, acted.code], acted.stderr).toEqual([name, code]);
      expect(acted.stderr, name).toMatch(said);
      expect(acted.stderr, name).toContain("the chain of receipts is BROKEN, do not rely on it");
    }
  },
);

test("start warns of a receipt that was removed while it ran, and does not end with 0", async () => {
  const at = atlasPlace();
  const remove = `rm ${at.home}/workspaces/*/tasks/*/artifacts/receipts/*.dsse.json`;
  const commands = ["true", remove].flatMap((command) => ["--validate", command]);
  const args = ["start", "look at it", "--template", "check", ...commands, ...scripted(at)];
  const started = await atlas(at, args);
  expect(started.code, started.stdout).not.toBe(0);
  expect(started.stderr).toMatch(
    /warning: the chain of receipts is BROKEN, do not rely on it: .*its file is missing/u,
  );
});

test("of a task whose receipts are all here no command says that anything is wrong", async () => {
  const scene = await aScene();
  await Promise.all(
    COMMANDS.map(async ([name, args]) => {
      const { code, stdout } = await atlas(scene.there, args(scene));
      expect([name, code]).toEqual([name, 0]);
      expect(stdout, name).not.toMatch(/BROKEN|do not rely|missing/u);
    }),
  );
  rmSync(join(scene.there.repo, "broken.txt"));
  expect(await atlas(scene.there, ["resume"])).toMatchObject({ code: 9, stderr: "" });
  expect(await atlas(scene.there, ["validate"])).toMatchObject({ code: 0, stderr: "" });
});

test("verify says of a commit made by hand that it carries no receipt, and what to give", async () => {
  const { code, stdout } = await atlas(atlasPlace(), ["verify"]);
  expect(code).toBe(11);
  expect(stdout).toContain("the commit carries no receipt: no task made it");
  expect(stdout).toMatch(/ {2}next +atlas list .*\n +atlas verify <task>/u);
  expect(stdout).not.toContain("--receipts");
});

test("verify tells a commit that is what was validated from one that is not, with a pinned key only", async () => {
  const at = atlasPlace();
  await reviewed(at);
  const there = { ...at, repo: workTreeOf(at) };
  const head = git(there, "rev-parse", "HEAD").trim();
  const key = join(at.outside, "atlas.pub");
  const receipts = join(at.outside, "receipts");
  writeFileSync(key, (await atlas(at, ["keys", "export"])).stdout);
  cpSync(join(taskDirOf(at), "artifacts/receipts"), receipts, { recursive: true });

  const valid = await atlas(there, ["verify"]);
  expect(valid).toMatchObject({ code: 0, stderr: "" });
  expect(valid.stdout).toContain(`  commit   ${head}\n`);
  expect(valid.stdout).toMatch(/^ {2}passed {3}test -f work\.txt {3}\(rcpt-/mu);
  const body = (await atlas(there, ["hook", "export"])).stdout;
  const { count, sha256 } = JSON.parse(
    readFileSync(
      join(at.home, "keys/heads", readdirSync(join(at.home, "keys/heads"))[0] ?? ""),
      "utf8",
    ),
  ) as { count: number; sha256: string };
  expect(JSON.parse(body)).toMatchObject({ receipt_chain: { kind: "valid", signed: count } });

  // In a CI: a clone, no home, no private key.
  const ci = { ...there, env: { ...at.env, ATLAS_HOME: join(at.outside, "no-home") } };
  const args = ["verify", "HEAD", "--key", key, "--receipts", receipts];
  const anchored = [...args, "--head", `${count} ${sha256}`];
  expect(await atlas(ci, anchored)).toMatchObject({ code: 0 });
  expect(await atlas(ci, [...anchored, "--require", "test -f work.txt"])).toMatchObject({
    code: 0,
  });
  expect(await atlas(ci, [...anchored, "--require", "npm test"])).toMatchObject({ code: 10 });
  expect(await atlas(ci, args)).toMatchObject({ code: 11 });
  expect((await atlas(ci, ["verify", "HEAD", "--key", key])).code).toBe(11);
  expect((await atlas(ci, ["verify", "nothing-of-that-name"])).code).toBe(2);
  expect((await atlas(ci, [...args, "--head", "many"])).code).toBe(2);
  expect((await atlas(ci, ["verify", "HEAD", "--key", join(at.outside, "none")])).code).toBe(2);

  git(there, "commit", "--allow-empty", "-qm", "the same tree");
  expect((await atlas(ci, anchored)).code).toBe(0);
  writeFileSync(join(there.repo, "work.txt"), "something else\n");
  git(there, "commit", "-qam", "not validated");
  const refused = await atlas(ci, anchored);
  expect(refused.code).toBe(10);
  expect(refused.stdout).toMatch(/^INVALID ✗\n/u);
  expect(refused.stdout).toContain("no receipt is of the commit's tree");
  expect((await atlas(ci, [...anchored.slice(0, 1), head, ...anchored.slice(2)])).code).toBe(0);
});
