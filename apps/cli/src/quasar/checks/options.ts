import type { Check, LoopOptions } from "@quasar/loop";
import type { Settings } from "../../shared/config/settings.ts";

/** The checks of a run, named by their commands. */
export function checksOf({
  lint,
  filter,
}: Pick<Settings, "lint" | "filter">): Required<Pick<LoopOptions, "lint" | "filters">> {
  const named = (commands: readonly string[]): readonly Check[] =>
    commands.map((command) => ({ name: command, command }));
  return { lint: named(lint), filters: named(filter) };
}
