import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aPlace, MANIFEST, phase, type Work, write } from "./place.ts";

const LINES = Array.from({ length: 40 }, (_, at) => `line ${at + 1}\n`).join("");

const edit = (line: number, by: string) => (tree: string) => {
  const file = join(tree, "shared.txt");
  const text = readFileSync(file, "utf8").replace(`line ${line}\n`, `line ${line} by ${by}\n`);
  writeFileSync(file, text);
};

const WORK: Work = {
  "Phase a": (tree) => write(tree, { "a.txt": "a\n" }),
  "Phase b": edit(1, "b"),
  "Phase c": (tree) => write(tree, { "c.txt": `${readFileSync(join(tree, "a.txt"), "utf8")}c\n` }),
  "Phase d": edit(30, "d"),
  "Phase e": (tree) =>
    write(tree, {
      "e.txt": readdirSync(tree)
        .filter((name) => name.endsWith(".txt"))
        .join(","),
    }),
};

const PHASES = {
  "a.md": phase("a"),
  "b.md": phase("b"),
  "c.md": phase("c", 'depends_on = ["a"]'),
  "d.md": phase("d"),
  "e.md": phase("e", 'depends_on = ["b", "c", "d"]'),
};

test("phases are worked on side by side and landed one by one on a branch of their own", async () => {
  const place = aPlace({ "shared.txt": LINES }, { "nebula.toml": MANIFEST, ...PHASES });
  write(place.repo, { "shared.txt": "mine\n", "mine.txt": "not committed\n" });
  const { reason, state } = await place.apply(WORK);
  expect(reason).toBe("done");
  expect(place.landings().toSorted()).toEqual(
    ["a", "b", "c", "d", "e"].map((id) => `Land ${id}: Phase ${id}`),
  );
  const shared = place.git("show", "nebula/demo:shared.txt");
  expect(shared).toContain("line 1 by b\n");
  expect(shared).toContain("line 30 by d\n");
  expect(place.git("show", "nebula/demo:c.txt")).toBe("a\nc");
  expect(place.git("show", "nebula/demo:e.txt")).toBe("a.txt,c.txt,shared.txt");
  expect(state.phases.map(({ status }) => status)).toEqual(Array(5).fill("done"));
  // The user's own tree, branch and refs are as they were.
  expect(place.git("status", "--porcelain")).toBe("M shared.txt\n?? mine.txt");
  expect(place.git("branch", "--show-current")).toBe("main");
  expect(place.git("worktree", "list").split("\n")).toHaveLength(1);
  expect(readdirSync(place.root)).not.toContain(".repo.quasar/");
});
