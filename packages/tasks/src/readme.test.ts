import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import * as tasks from "./index.ts";
import * as operations from "./operations/index.ts";
import * as receipts from "./receipts.ts";
import * as record from "./record.ts";
import { fillTemplate } from "./templates/fill-template.ts";
import * as templates from "./templates/index.ts";
import * as workspaces from "./workspaces/index.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test.for(
  Object.entries({
    "@quasar/tasks": tasks,
    "@quasar/tasks/operations": operations,
    "@quasar/tasks/receipts": receipts,
    "@quasar/tasks/record": record,
    "@quasar/tasks/templates": templates,
    "@quasar/tasks/workspaces": workspaces,
  }),
)("the README's table of %s has every export that is not a type, and no other", ([entry, has]) => {
  const [, section = ""] = readme.split(`### \`${entry}\`\n`);
  const rows = [...(section.split("\n#")[0] ?? "").matchAll(/^\| ((?:`\w+`(?:, )?)+) +\|/gmu)];
  const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/\w+/gu)].map(([name]) => name));
  expect(named.toSorted()).toEqual(Object.keys(has).toSorted());
});

test("the README's template is one", () => {
  const [, toml = ""] = /```toml\n([^]*?)```/u.exec(readme) ?? [];
  const template = templates.parseTemplate(toml);
  expect(templates.resolveTemplate("docs", [template])).toBe(template);
  const filled = fillTemplate(template, {
    description: "parsing",
    variables: { audience: "beginners" },
  });
  expect(filled.map(({ type }) => type)).toEqual(["ai", "loop", "validation", "human", "git"]);
  expect(filled[1]?.prompt).toBe("Write the page for beginners: parsing");
});
