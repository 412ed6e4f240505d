import { TasksError } from "../errors.ts";
import { BUILT_IN_TEMPLATES } from "./built-in.ts";
import type { Template } from "./template.ts";

/** All templates, the built-in ones first; a custom one takes the place of the built-in one of its id. */
export function listTemplates(custom: readonly Template[] = []): readonly Template[] {
  const byId = new Map([...BUILT_IN_TEMPLATES, ...custom].map((each) => [each.id, each]));
  return [...byId.values()];
}

/**
 * The template of an id or an alias. An id comes before any alias, a custom template's alias before a
 * built-in one's.
 *
 * @throws {TasksError} `ERR_TEMPLATE`, listing those that there are.
 */
export function resolveTemplate(name: string, custom: readonly Template[] = []): Template {
  const templates = listTemplates(custom);
  const found =
    templates.find(({ id }) => id === name) ??
    [...custom, ...templates].find(({ aliases }) => aliases.includes(name));
  if (found !== undefined) return found;
  const known = templates.map(({ id, aliases }) => [id, ...aliases].join(" or ")).join(", ");
  const message = `there is no template ${JSON.stringify(name.slice(0, 100))}: there are ${known}`;
  throw new TasksError("ERR_TEMPLATE", message);
}
