import * as v from "valibot";
import { flag, list, object, text, texts } from "./kinds.ts";
import { type Printed, result } from "./line.ts";

const setting = object(
  {
    key: text("Its key in a configuration file; within a table table.key"),
    value: v.pipe(v.unknown(), v.description("As TOML has it")),
    from: text("Where it is set: a file with line and column, a variable, or default"),
    needsTrust: flag("Whether the next command that uses it asks first"),
  },
  "A setting as it holds",
);

export const configLine = result("config", "Each setting, and where it is set", {
  settings: list(setting, "All, in the order of the documentation"),
  warnings: texts("What is wrong with files and variables, and stops nothing"),
});

export type ConfigLine = Printed<typeof configLine>;
