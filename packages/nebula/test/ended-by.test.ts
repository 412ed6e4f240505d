import { join } from "node:path";
import { GitError } from "@quasar/git";
import { createKeyManager, type KeyManager } from "@quasar/receipts";
import { expect, test } from "vitest";
import { endedBy } from "../src/engine/ended-by.ts";
import { agentsOf, aPlace, MANIFEST, newest, phase, WRITES_BOTH } from "./place.ts";

const fullDisk = (): Error =>
  Object.assign(new Error("ENOSPC: no space left on device, write"), {
    ...{ code: "ENOSPC", syscall: "write", path: "/r/.git/receipts/x" },
  });

test("a receipt that the disk has no room for leads to room on it, then to a resume", async () => {
  const manifest = `${MANIFEST}[execution]\nverify = ["true"]\n`;
  const place = aPlace({}, { "nebula.toml": manifest, "a.md": phase("a") });
  const dir = join(place.root, "keys");
  const keys: KeyManager = {
    ...createKeyManager({ dir }),
    get dir(): string {
      throw fullDisk();
    },
  };
  const error = await place.apply(WRITES_BOTH, { keys }).catch((thrown: unknown) => thrown);
  const { id } = newest(place);
  expect(error).toMatchObject({
    code: "ERR_FULL_DISK",
    next: [
      { shell: "df -h /r/.git/receipts", note: "make room there" },
      { shell: `quasar nebula apply ${id} --auto --resume` },
    ],
  });
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
});

test("a phase whose run has no room is at no fault: a resume continues it", async () => {
  const place = aPlace({}, { "nebula.toml": MANIFEST, "a.md": phase("a") });
  const agents = agentsOf(WRITES_BOTH);
  const code = "ERR_TURN_UNREADABLE";
  const unread = Object.assign(new Error("it was not written", { cause: fullDisk() }), { code });
  const optionsOf = (spec: { readonly title: string }) => {
    const { coder, reviewer } = agents(spec);
    return { coder: { ...coder, invoke: () => Promise.reject(unread) }, reviewer };
  };
  const error = await place.apply({}, { optionsOf }).catch((thrown: unknown) => thrown);
  const { id, phases } = newest(place);
  expect(error).toMatchObject({
    code: "ERR_FULL_DISK",
    next: [
      { shell: "df -h /r/.git/receipts" },
      { shell: `quasar nebula apply ${id} --auto --resume` },
    ],
  });
  expect(phases).toMatchObject([{ status: "running", attempt: 1 }]);
  expect((await place.apply(WRITES_BOTH)).reason).toBe("done");
  expect(newest(place).phases).toMatchObject([{ attempt: 1 }]);
});

test("a work tree of Quasar's that is none any more leads to a resume", () => {
  const none = new GitError("ERR_NOT_A_REPOSITORY", "/t/p1-0 is in no repository");
  expect(endedBy(none, { id: "abc" })).toMatchObject({
    code: "ERR_DAMAGED",
    next: [{ shell: "quasar nebula apply abc --auto --resume" }],
  });
});

test("what else has ended an engine is as it is", () => {
  const error = new Error("broken");
  expect(endedBy(error, { id: "abc" })).toBe(error);
});
