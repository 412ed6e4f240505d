import * as v from "valibot";
import { flag, object, text, texts, usd, whole, word } from "./kinds.ts";

// Parts of lines. Each is a definition, by its name here, in the files that use it.

export const role = word(["coder", "reviewer"], "Who works in the turn");

export const finding = object(
  {
    id: text("f- and 12 hex digits; the same finding has the same id in each cycle"),
    severity: text("As the reviewer wrote it: usually critical, major or minor"),
    description: text("What is wrong"),
    cycle: whole("The cycle that found it, from 1"),
    status: word(
      ["found", "fixed", "still_present", "regressed"],
      "What has become of it, by the last review",
    ),
  },
  "What a reviewer found",
);

export const report = object(
  {
    satisfaction: text("As the reviewer says it: usually high, medium or low"),
    risk: text("As the reviewer says it: usually high, medium or low"),
    needsHumanReview: flag("Whether a person should look at the work"),
    summary: text("What the reviewer says of the work"),
  },
  "The reviewer's closing words on the whole task",
);

export const fileChange = object(
  {
    path: text("From the root of the work tree"),
    added: v.optional(whole("Lines; not of a binary file")),
    removed: v.optional(whole("Lines; not of a binary file")),
  },
  "A file that differs between two commits",
);

export const changeCount = object(
  {
    fileCount: whole("How many files differ"),
    added: whole("Lines"),
    removed: whole("Lines"),
  },
  "How much a commit changes",
);

export const denial = object(
  {
    what: text("The command, or the tool with what it was for"),
    allow: texts("What would allow it, as a value of --allow-tool"),
  },
  "Something that an agent wanted to do and was not allowed to",
);

const event = <const T extends string, E extends v.ObjectEntries>(
  type: T,
  what: string,
  entries: E,
) => object({ type: v.literal(type), ...entries }, what);

export const agentEvent = v.pipe(
  v.union([
    event("session", "The agent's conversation has an id", { sessionId: text("By the agent") }),
    event("text", "The agent says something", { text: text("What it says") }),
    event("tool", "The agent uses a tool", {
      name: text("The tool"),
      detail: text("What it is used for: a path, a command, …"),
    }),
    event("usage", "What the turn has cost so far", { costUsd: usd("Of this turn") }),
    event("denied", "What the agent was not allowed to do, told when its turn ends", {
      what: text("The command, or the tool with what it was for"),
    }),
    event("unpriced", "The agent asks a model whose price is not known", {
      model: text("By its name"),
      maxTokens: v.optional(whole("What the turn is held to; left out: no limit")),
    }),
    event("retry", "The agent tries a request again by itself", { message: text("Why") }),
  ]),
  v.description("What an agent says or does as it works"),
);
