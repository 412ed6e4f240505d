import type { CommandSpecOf, GivenOf } from "../command.ts";

/** `completion`, of a program. */
export function completionSpec<Settings, Given extends GivenOf<Settings>>(
  program: string,
  group: string,
): CommandSpecOf<Settings, Given> {
  const script = `${program} completion`;
  return {
    name: "completion",
    group,
    summary: "print the completion script of bash, zsh or fish",
    description:
      "print the script by which a shell completes commands, flags, ids and names of files. Put it " +
      "where the shell looks for it, as below, in a folder that you may have to make, and start a " +
      "new shell. It is loaded once it is needed",
    args: [["[shell]", "bash, zsh or fish; that of $SHELL if left out"]],
    examples: [
      [
        `${script} bash > ~/.local/share/bash-completion/completions/${program}`,
        "for bash 4 or later with the package bash-completion",
      ],
      [
        `${script} zsh > ~/.zfunc/_${program}`,
        "and before compinit in ~/.zshrc: fpath=(~/.zfunc $fpath)",
      ],
      [`${script} fish > ~/.config/fish/completions/${program}.fish`, "for fish"],
    ],
    run: async ([shell], given) =>
      (await import("./command.ts")).completionCommand(program, shell, given),
  };
}
