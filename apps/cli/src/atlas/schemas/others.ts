import * as v from "valibot";
import { flag, list, milliseconds, object, text, whole, word } from "../../shared/schemas/kinds.ts";
import { initLine as initOfBoth } from "../../shared/schemas/init.ts";
import { line, type Printed, withKeys } from "../../shared/schemas/line.ts";
import { hookState, template } from "./parts.ts";

export const initLine = withKeys(initOfBoth, {
  instructed: list(
    v.object({ file: text("CLAUDE.md or AGENTS.md"), how: text("What became of it, in words") }),
    "Files that tell agents of tasks",
  ),
});

export const templatesLine = line("templates", "Templates, or the one that was named", {
  templates: list(template, "In the order of the list"),
});

const taskFolder = {
  workspaceId: text("Its workspace"),
  taskId: text("The task"),
  dir: text("Its folder"),
};

const kept = "How long tasks of this kind are kept";

export const cleanupLine = line("cleanup", "Hook files of tasks that ended were removed", {
  dryRun: flag("Whether they only would be"),
  policy: object(
    {
      completed: milliseconds(kept),
      failed: milliseconds(kept),
      abandoned: milliseconds(kept),
    },
    "How long tasks are kept, by how they ended",
  ),
  removed: list(
    v.object({ ...taskFolder, state: v.optional(hookState) }),
    "Those without state were removed before, and not to the end",
  ),
  skipped: list(
    v.object({
      ...taskFolder,
      reason: word(["corrupt", "in_use", "failed"], "Why, for a program"),
      error: v.optional(text("Why, for a person")),
    }),
    "Those that are kept",
  ),
  exit: whole("The exit code, which the README lists"),
});

export type InitLine = Printed<typeof initLine>;
export type TemplatesLine = Printed<typeof templatesLine>;
export type CleanupLine = Printed<typeof cleanupLine>;
