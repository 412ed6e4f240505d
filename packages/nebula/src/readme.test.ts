import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { aFolder } from "../test/a-nebula.ts";
import * as facts from "./facts/index.ts";
import * as nebula from "./index.ts";
import * as plan from "./plan/index.ts";
import * as report from "./report/index.ts";
import * as spec from "./spec/index.ts";
import * as testing from "./testing/index.ts";

const readme = readFileSync(join(import.meta.dirname, "../README.md"), "utf8");

test.for(
  Object.entries({
    "@quasar/nebula": nebula,
    "@quasar/nebula/facts": facts,
    "@quasar/nebula/plan": plan,
    "@quasar/nebula/report": report,
    "@quasar/nebula/spec": spec,
    "@quasar/nebula/testing": testing,
  }),
)("the README's table of %s has every export that is not a type, and no other", ([entry, has]) => {
  const [, section = ""] = readme.split(`### \`${entry}\`\n`);
  const rows = [...(section.split("\n#")[0] ?? "").matchAll(/^\| ((?:`\w+`(?:, )?)+) +\|/gmu)];
  const named = rows.flatMap(([, cell = ""]) => [...cell.matchAll(/\w+/gu)].map(([name]) => name));
  expect(named.toSorted()).toEqual(Object.keys(has).toSorted());
});

test("the README's nebula is one", () => {
  const [, manifest = ""] = /```toml\n([^]*?)```/u.exec(readme) ?? [];
  const [, check = ""] = /```markdown\n([^]*?)```/u.exec(readme) ?? [];
  const model = check.replace('"check"', '"model"').replace(/^(?:depends_on|scope).*\n/gmu, "");
  const dir = aFolder({ "nebula.toml": manifest, "1.md": model, "2.md": check });
  const loaded = spec.loadNebula(dir);
  expect(loaded.problems).toEqual([]);
  expect(loaded.spec?.phases.map(({ id }) => id)).toEqual(["model", "check"]);
});
