import { list, object, text, texts, word } from "./kinds.ts";

const finding = object(
  {
    check: text("What it is about, in a word that stays"),
    state: word(["ok", "warning", "problem", "unknown"], "How much it stands in the way"),
    message: text("For a person"),
    next: texts("Commands that help, and steps for a person; most likely first"),
  },
  "What was found of one thing that is needed",
);

/** What agents, git, disks, folders and limits are like. */
export const surroundings = list(finding, "What is needed: agents, git, disks, folders, limits");
