import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { aFolder } from "../../test/a-nebula.ts";
import { nebulaHome } from "./home.ts";
import { listNebulae } from "./list.ts";

/** What the state of a nebula cannot be read for. */
const failure: { code: string | undefined } = vi.hoisted(() => ({ code: undefined }));

vi.mock(import("./store.ts"), async (load) => {
  const real = await load();
  return {
    ...real,
    loadState(home) {
      if (failure.code === undefined) return real.loadState(home);
      throw Object.assign(new Error(failure.code), { code: failure.code });
    },
  };
});

function aNebula(state: string): string {
  const commonDir = aFolder({});
  const path = nebulaHome(commonDir, "abcdefghij").state;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, state);
  return commonDir;
}

test.for(["EIO", "EMFILE", "ENOMEM"])("a list that cannot be made is no empty one: %s", (code) => {
  failure.code = code;
  expect(() => listNebulae(aNebula(""))).toThrow(code);
});

test.for(["EACCES", "EPERM", "ENOTDIR"])("what this user cannot read is left out: %s", (code) => {
  failure.code = code;
  expect(listNebulae(aNebula(""))).toEqual([]);
});

test.for(["", "no TOML", "version = 99\n"])("what is no nebula's state is left out: %j", (text) => {
  failure.code = undefined;
  expect(listNebulae(aNebula(text))).toEqual([]);
});
