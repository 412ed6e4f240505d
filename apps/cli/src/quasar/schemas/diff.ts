import * as v from "valibot";
import { list, runId, sha, text } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";
import { fileChange } from "../../shared/schemas/parts.ts";

export const diffLine = line("diff", "What a run has committed", {
  runId: runId(),
  from: sha("Where the run began"),
  to: sha("Where HEAD was when the run was last saved"),
  files: v.optional(list(fileChange, "With --stat only")),
  stat: v.optional(text("As `git diff --stat` prints it; without --stat only")),
  text: v.optional(text("As `git diff` prints it; without --stat only")),
});

export type DiffLine = Printed<typeof diffLine>;
