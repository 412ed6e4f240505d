import { cutAtWord } from "@quasar/loop/internal";
import { plainLine } from "../plain.ts";
import type { TaskRecord } from "../task-record.ts";

/** What the templates' branches begin with, as conventional commits call it. */
const TYPES: Readonly<Record<string, string>> = {
  build: "build",
  ci: "ci",
  docs: "docs",
  feat: "feat",
  fix: "fix",
  patch: "fix",
  perf: "perf",
  refactor: "refactor",
  style: "style",
  test: "test",
};

/** Of tasks that work on a branch that was there before. */
const TYPE_OF_TEMPLATE: Readonly<Record<string, string>> = {
  bugfix: "fix",
  patch: "fix",
  feature: "feat",
};

const CONVENTIONAL = /^[a-z]+(?:\([^()]*\))?!?: /;

/** The subject of all commits of a task, a conventional one, and the title of its pull request: at most 72 characters. */
export function taskSubject(
  {
    description,
    templateId,
    metadata,
  }: Pick<TaskRecord, "description" | "templateId" | "metadata">,
  redact: (text: string) => string,
): string {
  const first = redact(description).trim().split(/\r?\n/, 1)[0] ?? "";
  if (CONVENTIONAL.test(first)) return subjectOf(first);
  const prefix = metadata.branch.split("/", 1)[0] ?? "";
  const type = TYPES[prefix] ?? TYPE_OF_TEMPLATE[templateId] ?? "chore";
  return subjectOf(`${type}: ${first === "" ? "work of an unnamed task" : first}`);
}

function subjectOf(text: string): string {
  return cutAtWord(plainLine(text, 1000), 72);
}
