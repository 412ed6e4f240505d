import * as v from "valibot";
import { flag, list, object, sha, text, texts, whole, word } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const nebulaStopLine = result("nebula_stop", "The engine of a nebula was told to end", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  isNow: flag("Whether the turns in flight are cut off; else it ends after them"),
});

export type NebulaStopLine = Printed<typeof nebulaStopLine>;

export const nebulaPauseLine = result("nebula_pause", "A nebula was paused or continued", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  isPaused: flag("Whether no turn and no phase begins until it is continued"),
});

export type NebulaPauseLine = Printed<typeof nebulaPauseLine>;

export const nebulaUpdateBaseLine = result(
  "nebula_update_base",
  "A person has an engine merge a commit into its nebula's branch",
  {
    nebulaId: text("The nebula"),
    nebula: text("Its name"),
    sha: sha("The commit"),
    mergedFrom: text("The branch that it was chosen by, or what was typed"),
    withAgent: flag("Whether agents rework it where it cannot land; else a person decides"),
  },
);

export type NebulaUpdateBaseLine = Printed<typeof nebulaUpdateBaseLine>;

export const nebulaSquashLine = result("nebula_squash", "A branch of one commit was made", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  branch: text("The new branch"),
  sha: sha("Its commit"),
  ontoSha: sha("The commit that this is on"),
  missingPhaseIds: texts("Phases that have not landed, and are not in it"),
});

export type NebulaSquashLine = Printed<typeof nebulaSquashLine>;

const pruned = object(
  {
    nebulaId: text("The nebula"),
    nebula: text("Its name"),
    workTrees: texts("Its work trees that were left"),
    refCount: whole(
      "How many refs of it; a dry run leaves out those that its work trees get before they go",
    ),
    bundle: v.optional(
      text("The file that keeps what no branch has; left out: all of it is in one"),
    ),
  },
  "What was removed of a nebula; its branch stays",
);

export const nebulaPruneLine = result("nebula_prune", "What was kept of ended nebulae is removed", {
  dryRun: flag("Whether nothing was removed, and this is what would be"),
  nebulae: list(pruned, "The newest first"),
  keptIds: texts(
    "Ids of ended nebulae that are kept: failed phases of them can be retried, or a work tree has the only copy of a commit",
  ),
});

export type NebulaPruneLine = Printed<typeof nebulaPruneLine>;

const updated = object(
  {
    phaseId: text("The phase"),
    what: word(
      ["added", "edited", "running", "kept", "gone"],
      "edited: it takes its new text; running: at the end of its cycle; kept: it keeps the text that it began with; gone: it has no file any more, and stays",
    ),
  },
  "A phase whose file has changed",
);

const changedSetting = object(
  {
    key: text("With the tables that it is in"),
    valueBefore: v.optional(text("Its value before, as JSON; left out: it was not there")),
    valueNow: v.optional(text("Its value, as JSON; left out: it is not there any more")),
  },
  "A setting of a nebula that was changed",
);

export const nebulaUpdateLine = result("nebula_update", "A nebula took over what its folder says", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  dryRun: flag("Whether nothing was changed, and this is what would be"),
  isChanged: flag("Whether nebula.toml is another one"),
  changedSettings: list(changedSetting, "Keys of nebula.toml that have another value"),
  isTaken: flag(
    "Whether it is carried out; else nothing is to be, or the engine that works on it does so within a second",
  ),
  phases: list(updated, "Those whose files have changed"),
});

export type NebulaUpdateLine = Printed<typeof nebulaUpdateLine>;
