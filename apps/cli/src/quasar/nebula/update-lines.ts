import type { NebulaState } from "@quasar/nebula";
import { canDecide, type NebulaUpdate, type SettingChange } from "@quasar/nebula/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { withRemark } from "../../shared/remark.ts";
import { answer } from "./outcome.ts";
import { labelled, type View } from "../../shared/output/text.ts";

const WHAT: Readonly<Record<NebulaUpdate["updates"][number]["what"], string>> = {
  added: "joins",
  edited: "takes its new text",
  running:
    "has begun: its agents get the new text in their next cycle, unless this one is approved",
  kept: "keeps the text that it began with",
  gone: "has no file any more, and stays",
};

const MOST_SETTINGS = 20;

/** What leaves out those phases whose files are gone, as long as they may begin again. */
export function skipSteps(
  state: Pick<NebulaState, "id" | "phases">,
  updates: NebulaUpdate["updates"],
): readonly string[] {
  const skipped = new Set(
    state.phases.filter(({ status }) => status === "skipped").map(({ id }) => id),
  );
  return updates
    .filter(({ what, phase }) => what === "gone" && !skipped.has(phase))
    .filter(({ phase }) => canDecide(state, "skip", phase))
    .map(({ phase }) => withRemark(answer("skip", phase, state.id), "its file is gone"));
}

/** What an update changes, a line for each setting and each phase. */
export function updateLines(
  { updates, isChanged, settings }: Pick<NebulaUpdate, "updates" | "isChanged" | "settings">,
  view: View,
): readonly string[] {
  return [
    ...(isChanged ? settingLines(settings, view) : []),
    ...updates.flatMap(({ phase, what }) => labelled(view, fit(cleanLine(phase), 16), WHAT[what])),
  ];
}

function settingLines(settings: readonly SettingChange[], view: View): readonly string[] {
  if (settings.length === 0) return labelled(view, "settings", "as before: comments have changed");
  const shown = settings.slice(0, MOST_SETTINGS).map(settingWords);
  const hidden = settings.length - shown.length;
  return [...shown, ...(hidden > 0 ? [`${hidden} more: --json has all`] : [])].flatMap(
    (words, at) => labelled(view, at === 0 ? "settings" : "", words),
  );
}

/** `execution.max_budget_usd 4 → 6` */
function settingWords({ key, before, now }: SettingChange): string {
  return `${cut(key)} ${before === undefined ? "(not set)" : cut(before)} → ${now === undefined ? "(not set)" : cut(now)}`;
}

function cut(text: string): string {
  return fit(cleanLine(text), 80);
}
