import type { CheckedProblem } from "@quasar/runs";
import { CHECK_NAMES } from "@quasar/runs/internal";
import * as v from "valibot";
import { surroundings } from "../../shared/schemas/doctor.ts";
import { flag, list, object, text, texts, whole, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

const CODES = [
  "UNCHECKED",
  "GIT_OPERATION",
  "GIT_LOCK",
  "RUNNER_KILLED",
  "AGENT_LEFT",
  "NOT_A_FOLDER",
  "QUARANTINED",
  "NO_CHECKPOINT",
  "DAMAGED",
  "UNREADABLE",
  "SUPERVISOR_FAILED",
  "JOURNAL_DAMAGED",
  "UNFINISHED_SAVE",
  "SNAPSHOTS_LEFT",
  "SNAPSHOTS_UNPACKED",
  "COMMITTED",
  "NOT_IGNORED",
  "OPEN_TO_OTHERS",
] as const satisfies readonly CheckedProblem["code"][];

const problem = object(
  {
    code: word(CODES, "What it is, for a program"),
    check: word(CHECK_NAMES, "What was checked"),
    message: text("What it is, for a person"),
    fix: v.optional(text("What --fix does, after the word would; left out: that takes a person")),
    fixed: flag("Whether it was fixed"),
    next: texts("What a person can do"),
  },
  "Something that is not as it should be",
);

const kept = object(
  { runCount: whole("How many"), sizeBytes: whole("What their files hold, in bytes") },
  "Runs that are kept, and on which nobody works",
);

export const doctorLine = result("doctor", "What crashes have left, and what is kept", {
  problems: list(problem, "Empty: healthy"),
  surroundings,
  kept: v.optional(
    object(
      { ended: kept, stopped: kept, next: texts("The commands that free what ended runs take") },
      "stopped: they can still be resumed",
    ),
  ),
  endsDaemons: flag("Whether a process that hides from its agent or check is ended with it here"),
});

export type DoctorLine = Printed<typeof doctorLine>;
