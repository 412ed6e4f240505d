import { TasksError } from "../errors.ts";
import { replaceNames } from "./placeholders.ts";
import type { Template, TemplateStep } from "./template.ts";

export interface TemplateInput {
  readonly description: string;
  readonly variables: Readonly<Record<string, string>>;
}

/**
 * The steps of a task: `{{name}}` in their prompts and descriptions is what it stands for. What is
 * filled in is not looked into again.
 *
 * @throws {TasksError} `ERR_TEMPLATE` for a variable that is not given, or not known.
 */
export function fillTemplate(template: Template, input: TemplateInput): readonly TemplateStep[] {
  const values = valuesOf(template, input);
  const valueOf = (name: string): string => {
    const value = values.get(name);
    if (value === undefined) throw bad(template, `has no variable ${JSON.stringify(name)}`);
    return value;
  };
  return template.steps.map((step) => ({
    ...step,
    description: replaceNames(step.description, valueOf),
    ...(step.prompt !== undefined && { prompt: replaceNames(step.prompt, valueOf) }),
  }));
}

function valuesOf(
  template: Template,
  { description, variables }: TemplateInput,
): ReadonlyMap<string, string> {
  const declared = new Map(Object.entries(template.variables));
  const unknown = Object.keys(variables).find((name) => !declared.has(name));
  if (unknown !== undefined) {
    throw bad(template, `has no variable ${JSON.stringify(unknown)}; it has ${list(declared)}`);
  }
  const given = new Map(Object.entries(variables));
  const values = [...declared].map(([name, variable]): [string, string] => {
    const value = given.get(name) ?? variable.default;
    if (value !== undefined) return [name, value];
    throw bad(template, `needs the variable ${name} (${variable.description})`);
  });
  return new Map([...values, ["description", description]]);
}

function list(declared: ReadonlyMap<string, unknown>): string {
  return declared.size === 0 ? "none" : [...declared.keys()].join(", ");
}

function bad({ id }: Template, what: string): TasksError {
  return new TasksError("ERR_TEMPLATE", `the template ${id} ${what}`);
}
