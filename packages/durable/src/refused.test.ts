import fs, { mkdtempSync, rmSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { constants, tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createOnce } from "./create-once.ts";
import { acquireLock } from "./lock.ts";
import { replaceFile } from "./replace.ts";

/** Has the system refuse every `fsync` as Node throws a used-up quota: without a name, and without a path. */
function useUpQuota(): void {
  const { fsyncSync } = fs;
  const { EDQUOT } = constants.errno;
  fs.fsyncSync = () => {
    const said = `Unknown system error -${EDQUOT}`;
    const error = new Error(`${said}: ${said}, fsync`);
    throw Object.assign(error, { errno: -EDQUOT, code: said, syscall: "fsync" });
  };
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.fsyncSync = fsyncSync;
    syncBuiltinESMExports();
  });
}

function aPath(): string {
  const dir = mkdtempSync(join(tmpdir(), "durable-refused-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  return join(dir, "file");
}

test.for([
  ["saved", (path: string) => replaceFile(path, Buffer.from("x"))],
  ["created", (path: string) => createOnce(path, Buffer.from("x"))],
] as const)(
  "what cannot be %s says by its name what the system has refused, and of which file",
  ([how, act]) => {
    const path = aPath();
    useUpQuota();
    const cause: unknown = expect.objectContaining({ code: "EDQUOT", path });
    const message = `${path} was not ${how}: EDQUOT: disk quota exceeded, fsync`;
    expect(() => act(path)).toThrow(
      expect.objectContaining({ code: "ERR_NOT_DURABLE", message, cause }),
    );
  },
);

test("a lock that the system refuses says of which file", () => {
  const path = aPath();
  useUpQuota();
  expect(() => acquireLock(path)).toThrow(expect.objectContaining({ code: "EDQUOT", path }));
});
