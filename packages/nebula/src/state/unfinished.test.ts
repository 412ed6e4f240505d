import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../../test/a-nebula.ts";
import { unfinishedError } from "./unfinished.ts";

test("it begins again from its folder, unless that is gone", () => {
  const dir = aFolder({});
  const resume = { shell: "quasar nebula apply abcdefghij --auto --resume" };
  const nextOf = (from: string) =>
    unfinishedError({ id: "abcdefghij", name: "demo", dir: from, phases: [] }).next;
  expect(nextOf(dir)).toEqual([resume, { shell: `quasar nebula apply ${dir} --auto --fresh` }]);
  expect(nextOf(join(dir, "gone"))).toEqual([resume]);
});
