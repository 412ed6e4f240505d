import type { HookFile } from "../store/hook-file.ts";
import { nextAction } from "./action.ts";
import {
  command,
  heading,
  list,
  paragraph,
  type Phrases,
  quoted,
  type Section,
  strong,
  table,
} from "./nodes.ts";
import { isDone, isSetUp } from "../transitions/steps.ts";

export function whatToDoNow(hook: HookFile): Section {
  const { title, items, never, decisions } = nextAction(hook);
  return [
    heading(2, "What To Do Now"),
    heading(3, "✅ ", ...title),
    list(items, true),
    ...(decisions === undefined
      ? []
      : [
          paragraph(strong("For the person:"), " one of these decides."),
          table(
            ["Decision", "Command"],
            decisions.map((one) => [[one.meaning], [command(one.command)]]),
          ),
        ]),
    heading(3, "❌ DO NOT:"),
    list([...notToDo(hook), never]),
  ];
}

function notToDo(hook: HookFile): readonly Phrases[] {
  const done = hook.steps.flatMap((step, index): Phrases[] =>
    isDone(step)
      ? [
          [
            "Repeat ",
            quoted(step.name),
            ` (already ${step.status === "skipped" ? "settled" : "done"} in step ${index + 1})`,
          ],
        ]
      : [],
  );
  return [
    ["Start over from the beginning"],
    ...done,
    ...(isSetUp(hook) ? [["Recreate the branch (already exists: ", quoted(hook.branch), ")"]] : []),
  ];
}
