import { expect, test } from "vitest";
import { enlisted, type KeptEntry, listed } from "./index-entries.ts";

const entry = (id: string, version: number, isUnfinished = true): KeptEntry => ({
  ...{ id, name: "demo", depot: "", isUnfinished, version },
});

test("the list has each nebula once, as it said last, in whatever order that arrives", () => {
  const said = [entry("a", 1), entry("b", 1), entry("a", 5, false), entry("a", 3)];
  for (const order of [said, said.toReversed()]) {
    let entries: readonly KeptEntry[] = [];
    for (const each of order) entries = enlisted(entries, each);
    const all = listed(entries).map(({ id, isUnfinished }) => [id, isUnfinished] as const);
    expect(all).toHaveLength(2);
    expect(new Map(all)).toEqual(
      new Map([
        ["a", false],
        ["b", true],
      ]),
    );
  }
});

test("what is said twice changes nothing", () => {
  const entries = enlisted([], entry("a", 1));
  expect(enlisted(entries, entry("a", 1))).toBe(entries);
});
