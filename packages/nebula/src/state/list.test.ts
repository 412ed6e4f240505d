import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { expect, test, vi } from "vitest";
import { aFolder } from "../../test/a-nebula.ts";
import { NebulaError } from "../errors.ts";
import { nebulaHome } from "./home.ts";
import { NO_PUSH } from "./state.ts";
import { createState, openState } from "./store.ts";
import { findNebula } from "./choose.ts";
import { listNebulae, unfinishedOf, unreadableNebulae } from "./list.ts";

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
  const commonDir = aNebula("");
  expect(listNebulae(commonDir)).toEqual([]);
  expect(unreadableNebulae(commonDir)).toMatchObject([{ id: "abcdefghij", error: { code } }]);
});

test.for(["", "no TOML", "version = 99\n"])("what is no nebula's state is left out: %j", (text) => {
  failure.code = undefined;
  expect(listNebulae(aNebula(text))).toEqual([]);
});

const caught = (act: () => unknown): NebulaError => {
  try {
    act();
  } catch (error) {
    if (error instanceof NebulaError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

const GIVES_UP = "gives it up; its branch and work trees stay";

test.for([
  ["no TOML", "ERR_DAMAGED", "the state is not TOML", GIVES_UP],
  [
    "version = 2\n",
    "ERR_INCOMPATIBLE_VERSION",
    "version 2 of a nebula's state is not known",
    "use the version of Quasar that wrote it",
  ],
  ["version = 0\n", "ERR_DAMAGED", "version 0 of a nebula's state is not known", GIVES_UP],
] as const)(
  "a nebula that cannot be read is named, and not taken for none: %j",
  ([text, code, why, note]) => {
    failure.code = undefined;
    const commonDir = aNebula(text);
    const { dir } = nebulaHome(commonDir, "abcdefghij");
    const acts: readonly (() => unknown)[] = [
      () => findNebula(commonDir, undefined),
      () => findNebula(commonDir, "demo"),
      () => findNebula(commonDir, "abcdefghij"),
      () => unfinishedOf(commonDir, aFolder({})),
    ];
    for (const act of acts) {
      const { message, next, ...error } = caught(act);
      expect(error.code).toBe(code);
      expect(message).toBe(`a nebula cannot be read: ${dir} (${why})`);
      expect(next).toMatchObject([{ shell: "quasar doctor" }, { note }]);
    }
  },
);

test("one that is another user's is to be made one's own again, and not given up", () => {
  failure.code = "EACCES";
  const { next } = caught(() => findNebula(aNebula(""), undefined));
  expect(next[1]?.shell).toContain("chown");
});

test("the generation before a state of a later version does not take its place, and one before a damaged does", () => {
  failure.code = undefined;
  const commonDir = aFolder({});
  const home = nebulaHome(commonDir, "abcdefghij");
  const now = (): Date => new Date(0);
  createState(home, {
    ...{ id: "abcdefghij", name: "demo", branch: "nebula/demo", dir: "/n", base: "" },
    ...{ revision: "0", createdAt: now().toISOString(), archivedFrom: "", archivedTip: "" },
    ...{ planVerdict: "", planReason: "", ownsBranch: true, acceptedFailures: [], ...NO_PUSH },
    phases: [],
  });
  const store = openState(home, now);
  store.moveTo("/moved");
  store.close();
  const text = readFileSync(home.state, "utf8");
  writeFileSync(home.state, text.replace("version = 1", "version = 2"));
  expect(listNebulae(commonDir)).toEqual([]);
  const later = expect.objectContaining({ code: "ERR_INCOMPATIBLE_VERSION" }) as Error;
  expect(() => openState(home, now)).toThrow(later);
  writeFileSync(home.state, text.replace("version = 1", "version = "));
  expect(listNebulae(commonDir)).toMatchObject([{ dir: "/n" }]);
});
