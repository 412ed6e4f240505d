import { text } from "./kinds.ts";
import { line, type Printed } from "./line.ts";

export const completionLine = line("completion", "The script that completes the command", {
  shell: text("bash, zsh or fish"),
  script: text("To be put where the shell looks for it"),
});

export type CompletionLine = Printed<typeof completionLine>;
