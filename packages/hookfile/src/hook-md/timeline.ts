import type { HookFile } from "../store/hook-file.ts";
import { HOOK_MD_COMMANDS } from "./commands.ts";
import {
  command,
  heading,
  LINE_LENGTH,
  paragraph,
  quoted,
  type Section,
  table,
  time,
} from "./nodes.ts";

const MOST_CHECKPOINTS = 20;

export function checkpointsTimeline(hook: HookFile): Section {
  const shown = hook.checkpoints.slice(-MOST_CHECKPOINTS);
  const earlier = Math.max(hook.counts.checkpoints, hook.checkpoints.length) - shown.length;
  return [
    heading(2, "Checkpoints Timeline"),
    ...(earlier > 0
      ? [
          paragraph(
            `The newest ${shown.length}; for the ${earlier} before them run `,
            command(HOOK_MD_COMMANDS.checkpoints),
            ".",
          ),
        ]
      : []),
    shown.length === 0
      ? paragraph("None yet.")
      : table(
          ["Time", "Trigger", "Description"],
          shown.map((one) => [
            [time(one.createdAt)],
            [quoted(one.trigger)],
            [quoted(one.description, LINE_LENGTH.cell)],
          ]),
        ),
  ];
}
