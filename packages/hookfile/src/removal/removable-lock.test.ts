import { mkdtempSync, rmSync, unlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock } from "@quasar/durable";
import { afterAll, expect, test } from "vitest";
import { takeRemovableLock } from "./removable-lock.ts";

const base = mkdtempSync(join(tmpdir(), "quasar-lock-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

const locked = expect.objectContaining({ code: "ERR_LOCKED" });

test("a lock whose file was removed while it was opened is given back, and taken of the new file", async () => {
  const file = join(base, "a", "lock");
  let rounds = 0;
  const lock = await takeRemovableLock(file, {
    acquire: (path) => {
      const taken = acquireLock(path);
      rounds += 1;
      if (rounds <= 3) unlinkSync(path);
      return taken;
    },
  });
  expect(rounds).toBeGreaterThan(3);
  expect(() => acquireLock(file), "the file that others find is locked").toThrow(locked);
  lock.release();
});

test("a lock that is held is waited for until it is released, or the wait is given up", async () => {
  const file = join(base, "lock");
  const held = acquireLock(file);
  const givenUp = takeRemovableLock(file, { signal: AbortSignal.timeout(60) });
  await expect(givenUp).rejects.toMatchObject({ name: "AbortError" });
  const waiting = takeRemovableLock(file);
  held.release();
  (await waiting).release();
});
