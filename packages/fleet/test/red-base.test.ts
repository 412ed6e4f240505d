import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { failedBase } from "@quasar/nebula/internal";
import { expect, test } from "vitest";
// @boundaries-ignore one place for the tests of nebulae on one machine and on several
import { aPlace, MANIFEST, phase, write } from "../../nebula/test/place.ts";
import { aFleet, isDone } from "./a-fleet.ts";

const VERIFIED = `${MANIFEST}[execution]\nverify = ["test -e ok.txt"]\n`;

test("a branch that fails by itself is known to all, and put right at the depot", async () => {
  const place = aPlace({ "base.txt": "base\n" }, { "nebula.toml": VERIFIED, "a.md": phase("a") });
  const fleet = await aFleet(place);
  const { id } = await fleet.submit();
  const work = { "Phase a": (tree: string) => write(tree, { "a.txt": "a\n" }) };
  const first = fleet.worker("one", work);
  const seen = async () => {
    for await (const { events } of fleet.port.watch(id, 0, AbortSignal.timeout(1000)))
      return events;
    return [];
  };
  const types = async () => (await seen()).map(({ type }) => type);
  const all = ["nebula_begun", "base_verified", "engine_ends"];
  await expect.poll(types, { timeout: 20_000 }).toEqual(all);
  expect(failedBase(await seen())).toMatchObject({
    findings: ["[verify] test -e ok.txt exit 1: "],
  });
  await first.stop();
  const clone = join(place.root, "clone");
  const git = (...args: string[]): void => void execFileSync("git", args, { stdio: "pipe" });
  git("clone", "-q", "-b", "nebula/demo", fleet.depot, clone);
  write(clone, { "ok.txt": "ok\n" });
  git("-C", clone, "add", "ok.txt");
  git("-C", clone, "commit", "-q", "-m", "Fix");
  git("-C", clone, "push", "-q", "origin", "nebula/demo");
  fleet.worker("two", work);
  await fleet.until(id, isDone);
  expect(failedBase(await seen())).toBeUndefined();
  expect(fleet.inDepot("show", "nebula/demo:ok.txt")).toBe("ok");
});
