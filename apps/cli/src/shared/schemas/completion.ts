import { text } from "./kinds.ts";
import { type Printed, result } from "./line.ts";

export const completionLine = result("completion", "The script that completes the command", {
  shell: text("bash, zsh or fish"),
  script: text("To be put where the shell looks for it"),
});

export type CompletionLine = Printed<typeof completionLine>;
