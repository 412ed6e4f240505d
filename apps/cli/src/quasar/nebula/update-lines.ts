import type { NebulaUpdate } from "@quasar/nebula/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { labelled, type View } from "../../shared/output/text.ts";

const WHAT: Readonly<Record<NebulaUpdate["updates"][number]["what"], string>> = {
  added: "joins",
  edited: "takes its new text",
  running:
    "has begun: its agents get the new text in their next cycle, unless this one is approved",
  kept: "keeps the text that it began with",
  gone: "has no file any more, and stays (quasar nebula skip)",
};

/** What an update changes, a line for each phase. */
export function updateLines(
  { updates, isChanged }: Pick<NebulaUpdate, "updates" | "isChanged">,
  view: View,
): readonly string[] {
  return [
    ...(isChanged ? labelled(view, "settings", "those of nebula.toml as it is now") : []),
    ...updates.flatMap(({ phase, what }) => labelled(view, fit(cleanLine(phase), 16), WHAT[what])),
  ];
}
