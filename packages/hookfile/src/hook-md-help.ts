import type { HookFile } from "./hook-file.ts";
import { HOOK_MD_COMMANDS } from "./hook-md-commands.ts";
import {
  command,
  heading,
  LINE_LENGTH,
  list,
  paragraph,
  quoted,
  type Section,
} from "./hook-md-nodes.ts";

export function ifSomethingIsWrong(hook: HookFile, dir: string, isFinished: boolean): Section {
  const { owner } = hook;
  return [
    heading(2, "If Something Is Wrong"),
    paragraph("If this recovery context seems incorrect:"),
    list(
      [
        ["Run ", command(HOOK_MD_COMMANDS.status), " to see ATLAS's view of the task"],
        ...(isFinished
          ? []
          : [
              ["Run ", command(HOOK_MD_COMMANDS.recover), " to enter manual recovery mode"],
              ["Run ", command(HOOK_MD_COMMANDS.abandon), " to give up and start fresh"],
            ]),
      ],
      true,
    ),
    ...(owner === undefined || isFinished
      ? []
      : [
          paragraph(
            `Process ${owner.pid} on `,
            quoted(owner.host),
            " drives this task. Should it no longer run, ",
            command(HOOK_MD_COMMANDS.resume),
            " takes its place.",
          ),
        ]),
    paragraph(
      "This file is written anew at every change, from ",
      command("hook.json"),
      " in ",
      quoted(dir, LINE_LENGTH.path),
      ": edit neither.",
    ),
  ];
}
