import * as v from "valibot";
import {
  flag,
  list,
  object,
  runId,
  sha,
  shaOrNone,
  steps,
  text,
  time,
  timeOrNone,
  usd,
  whole,
  word,
} from "../../shared/schemas/kinds.ts";
import { finding } from "../../shared/schemas/parts.ts";
import { BILL } from "./spending.ts";

// Parts of lines. Each is a definition, by its name here, in the files that use it.

export const snapshot = object(
  {
    n: whole("Counts the run's snapshots, from 1"),
    sha: sha("Its commit, which is on no branch"),
    headSha: shaOrNone("What HEAD was at"),
    createdAt: time("When it was taken"),
    message: text("Why it was taken"),
    ref: v.optional(text("Where git keeps it, while the run has not ended")),
    pack: v.optional(text("The file that holds it, once the run has ended")),
  },
  "Uncommitted work that was kept",
);

export const holder = object(
  {
    pid: whole("The process"),
    host: text("The machine that it runs on"),
    startedAt: v.optional(time("Since when")),
    runId: v.optional(runId("The run that it works on")),
  },
  "Who works in the work tree",
);

export const runOpenTurn = object(
  {
    role: text("coder or reviewer"),
    reservedUsd: usd("What counts if its cost stays unknown"),
    allowanceUsd: usd("What it may spend at most; 0: no limit"),
    unmetered: flag(
      "Whether its agent is not known to report what a turn costs: reservedUsd counts from the first",
    ),
    reportedUsd: v.optional(usd("What its agent has said so far that it cost")),
    alivePid: v.optional(whole("The process of its agent, where it works on without quasar")),
  },
  "The turn whose end is not known and whose cost is not counted yet",
);

export const status = word(
  ["running", "interrupted", "stopped", "approved", "abandoned", "damaged"],
  "running: quasar works on it. interrupted: killed, or told to stop. stopped: ended, not approved. abandoned: given up. damaged: it cannot be read, and all else but runId, reason and next is empty",
);

export const run = object(
  {
    runId: runId(),
    status,
    runner: v.optional(holder),
    task: text("In words"),
    reason: text('Why it stopped or cannot be read; "" otherwise'),
    cycle: whole("From 1; 0 before the first"),
    maxCycles: whole("How many it may have"),
    phase: text(
      "idle, bead_created, coding, code_complete, linting, filtering, reviewing, review_complete, resolving_issues, approved or error",
    ),
    openTurn: v.optional(runOpenTurn),
    ...BILL,
    maxBudgetUsd: usd("The limit; 0: none"),
    findings: list(finding, "Those that are not known to be fixed"),
    baseSha: shaOrNone("Where it began"),
    commits: list(sha("A commit"), "One for each cycle that changed something, oldest first"),
    retryAt: timeOrNone("When the usage limit is lifted that stopped it"),
    savedAt: timeOrNone("When it was last saved"),
    next: steps(),
  },
  "A run, as it stands",
);

export const elsewhere = object(
  {
    runId: runId(),
    status,
    workTree: text("The top folder of its work tree"),
    command: text("What resumes it from any folder, or shows one that has ended"),
  },
  "A run in another work tree of the repository",
);

export const nebulae = list(
  object(
    {
      nebulaId: text("Its id"),
      nebula: text("Its name"),
      landedCount: whole("How many of its phases have landed, or had nothing to land"),
      unchangedCount: whole("How many of those had nothing to land"),
      phaseCount: whole("How many phases it has"),
      command: text("What it waits for, or what resumes it"),
    },
    "A nebula that is unfinished",
  ),
  "Unfinished nebulae of the repository, the newest first; none where a run was named",
);

export const standing = object(
  {
    id: finding.entries.id,
    cycle: finding.entries.cycle,
    status: finding.entries.status,
  },
  "How a finding stands",
);
