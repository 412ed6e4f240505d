import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as tasks from "./index.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test("the README's table has every export that is not a type, and no other", () => {
  const [, table = ""] = readme.split("## Exports");
  const rows = [...(table.split("\n## ")[0] ?? "").matchAll(/^\| ((?:`\w+`(?:, )?)+) +\|/gmu)];
  const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/\w+/gu)].map(([name]) => name));
  expect(named.toSorted()).toEqual(Object.keys(tasks).toSorted());
});

test("the README's template is one", () => {
  const [, toml = ""] = /```toml\n([^]*?)```/u.exec(readme) ?? [];
  const template = tasks.parseTemplate(toml);
  expect(tasks.resolveTemplate("docs", [template])).toBe(template);
  const filled = tasks.fillTemplate(template, {
    description: "parsing",
    variables: { audience: "beginners" },
  });
  expect(filled.map(({ type }) => type)).toEqual(["ai", "loop", "validation", "human", "git"]);
  expect(filled[1]?.prompt).toBe("Write the page for beginners: parsing");
});
