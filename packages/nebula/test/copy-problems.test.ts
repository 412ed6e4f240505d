import { readFileSync } from "node:fs";
import { afterEach, expect, test, vi } from "vitest";
import { answerPhase } from "../src/people/answer.ts";
import {
  aPlace,
  commonDir,
  MANIFEST,
  newest,
  phase,
  type Place,
  warnings,
  write,
} from "./place.ts";

const broken = vi.hoisted(() => ({ open: (_path: string): string => "" }));

vi.mock(import("node:fs"), async (importOriginal) => {
  const real = await importOriginal();
  const openSync: typeof real.openSync = (path, ...rest) => {
    const code = broken.open(String(path));
    if (code === "") return real.openSync(path, ...rest);
    throw Object.assign(new Error(`${code}: broken, open`), { code, syscall: "open" });
  };
  return { ...real, openSync, default: { ...real.default, openSync } };
});

afterEach(() => {
  broken.open = () => "";
});

const WORK = { "Phase a": (tree: string) => write(tree, { a: "a" }) };

function copying(): Place {
  const manifest = `${MANIFEST}[execution]\ncopy = [".env"]\n`;
  const place = aPlace({ ".gitignore": ".env\n" }, { "nebula.toml": manifest, "a.md": phase("a") });
  write(place.repo, { ".env": "KEY=1\n" });
  return place;
}

test("a file that cannot be read is not copied, and its phase begins", async () => {
  const place = copying();
  broken.open = (path) => (path === `${place.repo}/.env` ? "EACCES" : "");
  expect((await place.apply(WORK)).reason).toBe("done");
  expect(warnings(place)).toEqual([".env was not copied: it cannot be read: EACCES: broken, open"]);
});

test("a work tree that cannot take a file fails its phase, and a retry makes it anew", async () => {
  const place = copying();
  broken.open = (path) => (path.includes(".quasar-copy-") ? "EIO" : "");
  const { reason, state } = await place.apply(WORK);
  expect([reason, state.phases[0]?.reason]).toEqual([
    "failed",
    "its work tree is not set up; a retry sets it up again: .env cannot be copied: EIO: broken, open",
  ]);
  answerPhase(commonDir(place), newest(place), { verb: "retry", phase: "a" });
  broken.open = () => "";
  let env = "";
  const work = {
    "Phase a": (tree: string): void => {
      env = readFileSync(`${tree}/.env`, "utf8");
      WORK["Phase a"](tree);
    },
  };
  expect((await place.apply(work)).reason).toBe("done");
  expect(env).toBe("KEY=1\n");
});

test("a disk without room for a file ends the engine", async () => {
  const place = copying();
  broken.open = (path) => (path.includes(".quasar-copy-") ? "ENOSPC" : "");
  await expect(place.apply(WORK)).rejects.toMatchObject({ code: "ERR_FULL_DISK" });
});
