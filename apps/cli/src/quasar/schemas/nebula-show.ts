import * as v from "valibot";
import { list, object, runId, text, texts, time, whole, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { fileChange } from "../../shared/schemas/parts.ts";
import { BILL } from "./spending.ts";
import { PHASE_SETTINGS } from "./nebula.ts";
import { NEBULA_ENTRIES, PHASE_ENTRIES } from "./nebula-apply.ts";

const phase = object(
  {
    ...PHASE_ENTRIES,
    file: text("The name of its file"),
    title: text("What it is about"),
    dependsOn: texts("The phases that land before it begins"),
  },
  "A phase as it stands, and what it is",
);

export const nebulaShowLine = result("nebula_show", "What a nebula is", {
  ...NEBULA_ENTRIES,
  description: text("What it is for"),
  goals: texts("What the work is for; in every prompt"),
  constraints: texts("What it has to keep to; in every prompt"),
  startedAt: time("When it was begun"),
  specRevision: text("Of the copy of its folder that it is worked on by"),
  maxWorkers: whole("How many phases are worked on at once"),
  mergeOrder: word(["ready", "plan"], "Which phase lands first"),
  verify: texts("Commands that have to pass on the merged tree before a phase lands"),
  phases: list(phase, "In the order of the plan"),
});

export type NebulaShowLine = Printed<typeof nebulaShowLine>;

const attempt = object(
  {
    attempt: whole("From 1"),
    runId: runId("Its run: quasar show shows it"),
    startedAt: v.optional(time("When it began")),
    status: v.optional(
      word(
        ["running", "interrupted", "stopped", "approved", "abandoned", "damaged"],
        "Of the run; left out: nothing of it was saved",
      ),
    ),
    cycle: v.optional(whole("The last cycle that it has begun")),
    spentUsd: v.optional(BILL.spentUsd),
    knownUsd: v.optional(BILL.knownUsd),
    unknownUsd: v.optional(BILL.unknownUsd),
    hasUnreportedCosts: v.optional(BILL.hasUnreportedCosts),
    reasons: texts("Why there was another attempt"),
  },
  "An attempt of a phase",
);

export const nebulaPhaseLine = result("nebula_phase", "All that is known of a phase", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  ...PHASE_ENTRIES,
  ...PHASE_SETTINGS,
  text: text("What its agents are asked, in Markdown: those of its last attempt that has begun"),
  nextText: v.optional(text("The text that an update has given it since, which they do not have")),
  question: word(["", "land", "rework", "answer", "budget"], 'What a person is asked; "": nothing'),
  reasons: texts("What its agents read beside: why the last landing was refused"),
  files: v.optional(list(fileChange, "What it changes; left out: nothing of it is approved yet")),
  runs: list(attempt, "Its attempts, oldest first"),
  warnings: texts("What its engine has warned of, oldest first, each once"),
});

export type NebulaPhaseLine = Printed<typeof nebulaPhaseLine>;
