import { rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { updateNebula } from "../src/engine/update.ts";
import { loadNebula } from "../src/spec/index.ts";
import { aPlace, MANIFEST, phase, type Place, type Work, write, newest } from "./place.ts";

const FILES = {
  "nebula.toml": MANIFEST,
  "a.md": phase("a"),
  "b.md": phase("b", 'gate = "review"\ndepends_on = ["a"]'),
  "c.md": phase("c", 'depends_on = ["b"]'),
  "e.md": phase("e"),
};
const WORK: Work = Object.fromEntries(
  ["a", "b", "c", "d", "e"].map((id) => [
    `Phase ${id}`,
    (tree: string) => write(tree, { [id]: id }),
  ]),
);

const update = (place: Place, isDryRun = false) =>
  updateNebula(`${place.repo}/.git`, newest(place), loadNebula(place.dir), { isDryRun });

test("phases that are new join, those that have not begun take their new text, others keep theirs", async () => {
  const place = aPlace({}, FILES);
  expect((await place.apply(WORK)).reason).toBe("waiting");
  expect(update(place)).toEqual({ updates: [], isChanged: false });

  write(place.dir, {
    "nebula.toml": `${MANIFEST}[execution]\nmax_workers = 1\n`,
    "b.md": `${FILES["b.md"]}And more.\n`,
    "c.md": phase("c", "depends_on = []"),
    // In the file of one that has landed.
    "e.md": phase("d", 'blocks = ["b", "c"]'),
  });
  const updates = [
    { phase: "b", what: "kept" },
    { phase: "c", what: "edited" },
    { phase: "d", what: "added" },
    { phase: "e", what: "gone" },
  ];
  const before = newest(place);
  expect(update(place, true)).toEqual({ updates, isChanged: true });
  expect(newest(place)).toEqual(before);
  expect(update(place)).toEqual({ updates, isChanged: true });
  const { phases } = newest(place);
  expect(phases.find(({ id }) => id === "d")).toMatchObject({ status: "pending", attempt: 1 });
  for (const id of ["a", "b", "c", "e"]) {
    expect(phases.find((each) => each.id === id)).toEqual(
      before.phases.find((each) => each.id === id),
    );
  }
  const end = await place.apply(WORK, { resumed: newest(place), loaded: undefined });
  expect(end.state.phases.filter(({ status }) => status === "done")).toHaveLength(4);
  expect(place.landings().toSorted()).toEqual(
    ["a", "c", "d", "e"].map((id) => `Land ${id}: Phase ${id}`),
  );
});

test("a folder of another nebula, and one that is not valid with what has begun, change nothing", async () => {
  const place = aPlace(
    {},
    {
      ...FILES,
      "g.md": phase("g", 'depends_on = ["c"]\nblocks = ["h"]'),
      "h.md": phase("h", 'depends_on = ["b"]'),
    },
  );
  await place.apply(WORK);
  const before = newest(place);
  write(place.dir, { "nebula.toml": '[nebula]\nname = "other"\n' });
  expect(() => update(place)).toThrow("and not demo");
  // A phase stays whose file is gone: h waits for it, and it for c.
  rmSync(join(place.dir, "g.md"));
  write(place.dir, { "nebula.toml": MANIFEST, "c.md": phase("c", 'depends_on = ["h"]') });
  expect(() => update(place)).toThrow(expect.objectContaining({ code: "ERR_INVALID_NEBULA" }));
  expect(newest(place)).toEqual(before);
});
