import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lasting } from "../real/screens/same.ts";
import { rowsOf } from "../real/screens/terminal.ts";

// Of docs/screens, which `pnpm test:screens` compares with what the commands print.

const FOLDER = new URL("../../../docs/screens/", import.meta.url);
const names = readdirSync(FOLDER).filter((name) => name.endsWith(".txt"));
const read = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");
const isPiped = (name: string): boolean => name.endsWith(".piped.txt");

test("each screen is kept as a terminal and as a pipe have it", () => {
  const bare = (piped: boolean): readonly string[] =>
    names.filter((name) => isPiped(name) === piped).map((name) => name.replace(".piped", ""));
  expect(bare(true)).toEqual(bare(false));
  expect(names.length).toBeGreaterThan(0);
});

test.for(names)("%s begins with the command, fits, and holds no path of a machine", (name) => {
  const text = read(name);
  expect(text).toMatch(/^\$ (?:quasar|atlas) /u);
  expect(text).not.toMatch(
    /(?<!ada-lovelace)\/tmp\/|\/root\/|\/Users\/|\/home\/(?!ada-lovelace\b)|(?!\n)\p{Cc}/u,
  );
  expect(text, "what is no value").not.toMatch(/\bNaN\b|\bundefined\b|\[object /u);
  const wide = text.split("\n").filter((line) => line.length > 80);
  expect(isPiped(name) ? [] : wide).toEqual([]);
});

test.for([
  ["lines", "one\r\ntwo\r\n", ["one", "two"]],
  ["a line that is too long", "0123456789AB\r\n", ["0123456789", "AB"]],
  ["a line that just fits", "0123456789\r\nAB", ["0123456789", "AB"]],
  ["one cut off without wrapping", "\u001b[?7l0123456789AB\u001b[?7h\r\nC", ["012345678B", "C"]],
  ["a block drawn again", "a\r\nb\r\u001b[1A\u001b[Jc\r\n", ["c"]],
  ["colours", "\u001b[2mdim\u001b[22m", ["dim"]],
  ["a bracket that begins a line", "a\r\n[b\r\n", ["a", "[b"]],
  ["a cursor in the middle", "abc\u001b[2GX\r\n", ["aXc"]],
] as const)("a terminal shows %s", ([, written, rows]) => {
  expect(rowsOf(written, 10)).toEqual(rows);
});

test("a terminal refuses what it would show wrong", () => {
  expect(() => rowsOf("\u001b[3;4H", 80)).toThrow("does not know");
});

const SCREEN = `$ quasar log
13:26:23  cycle 1
13:26:24    coder    done in 12 s, $0.07
13:26:37    commit   9b2997e1b8, 1 file, +1 -0
13:26:38    saved    ckpt-f1d5e968f9587ac2 (git_commit) Commit: hold
                     total()
`;

test.for([
  [
    "another time and duration",
    "13:26:24    coder    done in 12 s",
    "09:00:00    coder    done in 9.1 s",
    true,
  ],
  ["another commit", "9b2997e1b8", "d082d069a8", true],
  ["a checkpoint that comes later", /13:26:38 [^]*/u, "", true],
  ["another cost", "$0.07", "$0.08", false],
  ["another word", "done in", "finished in", false],
  ["a line less", /.*cycle 1\n/u, "", false],
  ["another indentation", "    commit", " commit", false],
] as const)("of two screens with %s it is $3 that they are the same", ([, from, to, same]) => {
  expect(lasting(SCREEN.replace(from, to)) === lasting(SCREEN)).toBe(same);
});

const SIDE_BY_SIDE = `$ quasar nebula apply .nebulas/shop --auto
  nebula   vgkkqgvxsx begins at 139b117372
  one      begins
  two      begins
  next     quasar nebula stop vgkkqgvxsx
`;

test.for([
  ["another nebula", /vgkkqgvxsx/gu, "abcdefghij", true],
  [
    "phases in another order",
    "one      begins\n  two      begins",
    "two      begins\n  one      begins",
    true,
  ],
  ["another phase", "two", "three", false],
  ["a phase less", "  two      begins\n", "", false],
] as const)(
  "of two screens of a nebula with %s it is $3 that they are the same",
  ([, from, to, same]) => {
    expect(lasting(SIDE_BY_SIDE.replace(from, to)) === lasting(SIDE_BY_SIDE)).toBe(same);
  },
);
