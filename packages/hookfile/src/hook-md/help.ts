import type { HookFile } from "../store/hook-file.ts";
import { HOOK_MD_COMMANDS } from "./commands.ts";
import {
  command,
  heading,
  LINE_LENGTH,
  list,
  paragraph,
  quoted,
  type Section,
  time,
} from "./nodes.ts";
import type { QuarantinedFile } from "../store/quarantine.ts";

/** What this section says beside the hook file's own values. */
interface HelpFacts {
  readonly dir: string;
  readonly quarantined?: readonly QuarantinedFile[] | undefined;
}

export function ifSomethingIsWrong(
  hook: HookFile,
  { dir, quarantined = [] }: HelpFacts,
  isFinished: boolean,
): Section {
  const { owner } = hook;
  return [
    heading(2, "If Something Is Wrong"),
    ...quarantined.map(({ path, foundAt }) =>
      paragraph(
        "Something other than Atlas has changed ",
        command("hook.json"),
        ". It was found at ",
        time(foundAt),
        ", and what the history says was put back. The changed file is ",
        quoted(path, LINE_LENGTH.path),
        ". Tell a person: ",
        command(HOOK_MD_COMMANDS.acknowledge),
        " is theirs to run.",
      ),
    ),
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
      "This file is rewritten at every change, from ",
      command("hook.json"),
      " in ",
      quoted(dir, LINE_LENGTH.path),
      ": edit neither.",
    ),
  ];
}
