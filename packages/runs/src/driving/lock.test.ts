import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { acquireLock, lockHolder } from "@quasar/durable";
import { currentProcess } from "@quasar/process";
import { expect, onTestFinished, test, vi } from "vitest";
import { lockWorkspace } from "./lock.ts";

vi.mock("@quasar/durable", async (original) => ({
  ...(await original<object>()),
  lockHolder: vi.fn<typeof lockHolder>(),
}));

test("a holder that is seen at one moment alone, since its files were removed, is named", async () => {
  const stateDir = mkdtempSync(join(tmpdir(), "lock-"));
  onTestFinished(() => rmSync(stateDir, { recursive: true }));
  const path = join(stateDir, "lock");
  const lock = acquireLock(path);
  onTestFinished(() => lock.release());
  rmSync(`${path}.owner.json`);
  vi.mocked(lockHolder).mockReturnValueOnce(currentProcess()).mockReturnValue(undefined);
  await expect(lockWorkspace({ stateDir })).rejects.toMatchObject({
    code: "ERR_LOCKED",
    message: expect.stringContaining(`process ${process.pid} on`) as string,
    next: [{ do: "show" }, { shell: `kill -INT ${process.pid}` }],
  });
});
