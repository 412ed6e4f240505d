import * as v from "valibot";
import { flag, list, milliseconds, object, text, usd, word } from "../../shared/schemas/kinds.ts";
import { surroundings } from "../../shared/schemas/doctor.ts";
import { initLine as initOfBoth } from "../../shared/schemas/init.ts";
import { type Printed, result, withKeys } from "../../shared/schemas/line.ts";
import { hookState, taskCost, template } from "./parts.ts";

export const initLine = withKeys(initOfBoth, {
  instructed: list(
    v.object({ file: text("CLAUDE.md or AGENTS.md"), how: text("What became of it, in words") }),
    "Files that tell agents of tasks",
  ),
});

export const templatesLine = result("templates", "Templates, or the one that was named", {
  templates: list(template, "In the order of the list"),
});

const taskFolder = {
  workspaceId: text("Its workspace"),
  taskId: text("The task"),
  dir: text("Its folder"),
};

const kept = "How long tasks of this kind are kept";

export const cleanupLine = result("prune", "Hook files of tasks that ended were removed", {
  dryRun: flag("Whether they only would be"),
  policy: object(
    {
      completedMs: milliseconds(kept),
      failedMs: milliseconds(kept),
      abandonedMs: milliseconds(kept),
    },
    "How long tasks are kept, by how they ended",
  ),
  tasks: list(
    v.object({ ...taskFolder, state: v.optional(hookState) }),
    "Those without state were removed before, and not to the end",
  ),
  skipped: list(
    v.object({
      ...taskFolder,
      reason: word(["corrupt", "in_use", "failed"], "Why, for a program"),
      message: v.optional(text("Why, for a person")),
    }),
    "Those that are kept",
  ),
});

export const costLine = result("cost", "What each turn of a task's agents has cost", {
  taskId: text("The task"),
  maxBudgetUsd: usd("The limit; 0: none"),
  ...taskCost.entries,
});

export const doctorLine = result("doctor", "What a task needs, and what is kept of tasks", {
  home: text("The folder of everything that atlas keeps"),
  surroundings,
});

export type CostLine = Printed<typeof costLine>;
export type DoctorLine = Printed<typeof doctorLine>;
export type InitLine = Printed<typeof initLine>;
export type TemplatesLine = Printed<typeof templatesLine>;
export type CleanupLine = Printed<typeof cleanupLine>;
