import { expect, test } from "vitest";
import { COMMANDS as ATLAS } from "../atlas/commands.ts";
import { createProgram as createAtlas } from "../atlas/program.ts";
import { LINES as OF_ATLAS } from "../atlas/schemas/index.ts";
import { COMMANDS as QUASAR } from "./commands.ts";
import { createProgram as createQuasar } from "./program.ts";
import { LINES as OF_QUASAR } from "./schemas/index.ts";

test("no line of a description is broken by hand and by a terminal of 80 columns", () => {
  const descriptions = [...QUASAR, ...ATLAS].flatMap(({ description = "" }) => description);
  const broken = descriptions.filter((each) => each.includes("\n"));
  expect(broken).not.toEqual([]);
  const lines = broken.flatMap((each) => each.split("\n"));
  expect(lines.filter((line) => line.length > 79)).toEqual([]);
});

test.for([
  ["quasar", QUASAR, createQuasar, OF_QUASAR],
  ["atlas", ATLAS, createAtlas, OF_ATLAS],
] as const)("the help of each command of %s names its schema", ([name, specs, create, lines]) => {
  for (const spec of specs) {
    let help = "";
    let command = create("1.2.3", () => {});
    for (const word of spec.name.split(" ")) {
      command = command.commands.find((each) => each.name() === word) ?? command;
    }
    command.configureOutput({ writeOut: (text) => void (help += text) }).outputHelp();
    const [, schema] = new RegExp(`^Schema: ${name} schema (\\S+)$`, "mu").exec(help) ?? [];
    const names = Object.keys(lines).map((each) => each.replaceAll(" ", "-"));
    if (spec.printsDocument === true) expect(schema, spec.name).toBeUndefined();
    else expect(names, spec.name).toContain(schema);
    expect(schema ?? spec.name.replaceAll(" ", "-")).toBe(spec.name.replaceAll(" ", "-"));
  }
});
