import * as v from "valibot";
import { list, sha, text } from "./kinds.ts";
import { type Printed, result } from "./line.ts";
import { fileChange } from "./parts.ts";

export const diffLine = result("diff", "What a run or a task has changed", {
  runId: v.optional(text("The run, of quasar diff")),
  taskId: v.optional(text("The task, of atlas diff")),
  phaseId: v.optional(text("The phase, of quasar nebula diff")),
  fromSha: sha("The commit at which it began"),
  toSha: sha(
    "Of a run the commit where HEAD was when it was last saved; of a task its tree as it is now",
  ),
  files: v.optional(list(fileChange, "With --stat only")),
  stat: v.optional(text("As `git diff --stat` prints it; without --stat only")),
  text: v.optional(text("As `git diff` prints it; without --stat only")),
});

export type DiffLine = Printed<typeof diffLine>;
