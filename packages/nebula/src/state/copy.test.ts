import { expect, test } from "vitest";
import { aFolder, aPhase, MANIFEST } from "../../test/a-nebula.ts";
import { keepSpec, readCopy } from "./copy.ts";
import { nebulaHome } from "./home.ts";

const [FULLWIDTH, ASTRAL] = ["\uFF21.md", "\u{1F600}.md"];
const text = (id: string) => aPhase(id);
const filesOf = (...names: readonly string[]) => ({
  ...{ manifest: MANIFEST, problems: [] },
  phases: names.map((file) => ({ file, text: text(file === ASTRAL ? "a" : "f") })),
});

test("a copy is read again, in whatever order its files are given", () => {
  const home = nebulaHome(aFolder({}), "abcdefghij");
  const orders = [
    [FULLWIDTH, ASTRAL],
    [ASTRAL, FULLWIDTH],
  ];
  const revisions = orders.map((names) => keepSpec(home, { files: filesOf(...names) }));
  expect(new Set(revisions).size).toBe(1);
  for (const revision of revisions) expect(readCopy(home, revision).files.phases).toHaveLength(2);
});

test.for([
  ["a file that is never read", filesOf("notes.txt")],
  ["two files of one name", filesOf(FULLWIDTH, FULLWIDTH)],
] as const)("a copy that cannot be read again is refused: %s", ([, files]) => {
  const home = nebulaHome(aFolder({}), "abcdefghij");
  const refused = expect.objectContaining({ code: "ERR_DAMAGED" }) as Error;
  expect(() => keepSpec(home, { files })).toThrow(refused);
});
