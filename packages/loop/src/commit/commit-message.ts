import { CLOSES } from "./closes.ts";
import { commitBody } from "./commit-body.ts";
import { conventionalSubject } from "./conventional.ts";
import type { CycleState } from "../state.ts";
import { commitSubject, SUBJECT_LENGTH } from "./subject.ts";
import { cutAtWord, firstLine, oneLine, trimMarks, trimSpace } from "../text.ts";

/** What a commit says before its trailers. */
export interface CommitMessage {
  readonly subject: string;
  /** `""`: nothing beside the subject. */
  readonly body: string;
}

export interface MessageOptions {
  /** Names the work in the task's place. @default the task's first line */
  readonly title?: string | undefined;
  /** Takes secrets out; of what it throws at, nothing is said. */
  readonly redact: ((text: string) => string) | undefined;
}

/**
 * The message of the commit that the coder's last turn gets: the subject that the coder has named, else
 * the task's title; its report is the body. The `seed` style knows neither.
 *
 * @see SPEC.md, "Commits"
 */
export function commitMessage(state: CycleState, { title, redact }: MessageOptions): CommitMessage {
  const given = clean(state.commitSubject, redact);
  const made = messageOfReport(state, { title, redact });
  return given === "" ? made : { ...made, subject: given };
}

function messageOfReport(state: CycleState, { title, redact }: MessageOptions): CommitMessage {
  const name = clean(title ?? state.taskTitle, redact);
  if (state.commitStyle === "seed") {
    const named = title === undefined ? { ...state, taskTitle: name } : state;
    return { subject: commitSubject(named, title === undefined ? undefined : name), body: "" };
  }
  const report = clean(state.coderOutput, redact);
  const task = titleLine(name);
  const subject = subjectIn(report) ?? subjectOfTask(state, task);
  const form = FORMS[state.commitStyle];
  return { subject: form(subject, task), body: commitBody(withoutSubject(report)) };
}

/** The message of a commit that holds what checks or git hooks have changed. */
export function formattingMessage(state: CycleState, title: string | undefined): CommitMessage {
  const { commitStyle } = state;
  if (commitStyle === "seed") {
    return { subject: commitSubject(state, title, " (formatting)"), body: "" };
  }
  const prefix = commitStyle === "conventional" ? "style: apply" : "Apply";
  return { subject: `${prefix} what checks and git hooks changed`, body: "" };
}

const FORMS: Readonly<
  Record<Exclude<CycleState["commitStyle"], "seed">, (subject: string, task: string) => string>
> = {
  plain: (subject) => cutAtWord(subject, SUBJECT_LENGTH),
  conventional: (subject, task) => conventionalSubject(subject, task, SUBJECT_LENGTH),
};

function clean(text: string, redact: MessageOptions["redact"]): string {
  try {
    return redact?.(text) ?? text;
  } catch {
    return "";
  }
}

/** Marks of Markdown before it are passed over, and so are those around what it names. */
const LINE = /^[ \t\u00a0*_`>]*COMMIT:(.*)$/gmu;

/**
 * The subject that a coder names in the last line `COMMIT: <subject>` of its report; `undefined` where it
 * names none that can be used: it is empty or too long, closes somebody's issue, or keeps a CI from running.
 */
export function subjectIn(report: string): string | undefined {
  const [, last = ""] = [...report.matchAll(LINE)].at(-1) ?? [];
  return usableSubject(trimMarks(last));
}

/** The subject that a coder gives when it is asked for nothing else. */
export function subjectGiven(answer: string): string | undefined {
  return subjectIn(answer) ?? usableSubject(trimMarks(answer));
}

/** The report on work that took two turns, named as the first has named it. */
export function joinReports(first: string, second: string): string {
  const subject = subjectIn(first);
  if (subject === undefined) return trimSpace(`${withoutSubject(first)}\n\n${second}`);
  const reports = [withoutSubject(first), withoutSubject(second), `COMMIT: ${subject}`];
  return trimSpace(reports.filter(Boolean).join("\n\n"));
}

function usableSubject(text: string): string | undefined {
  const subject = oneLine(text.replace(CONTROLS, " "))
    .replace(/\s+/gu, " ")
    .replace(/(?<![.\s])\.$/u, "");
  const isUsable = subject !== "" && Array.from(subject).length <= SUBJECT_LENGTH;
  return isUsable && !HARMFUL.some((pattern) => pattern.test(subject)) ? subject : undefined;
}

const CONTROLS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]+/gu;

/** What a forge or `git rebase --autosquash` would act on. */
const HARMFUL: readonly RegExp[] = [
  CLOSES,
  /\[(?:skip ci|ci skip|no ci|skip actions|actions skip)\]/iu,
  /^(?:fixup|squash|amend)!/u,
];

export function withoutSubject(report: string): string {
  return trimSpace(report.replace(LINE, ""));
}

function titleLine(title: string): string {
  return oneLine(firstLine(title, 1000).replace(CONTROLS, " "))
    .replace(/^(?:#+|[-*])\s+/u, "")
    .replace(/(?<![.\s])\.$/u, "");
}

/** Of a later commit it says so, lest all be called the same. */
function subjectOfTask({ cycle, phase }: CycleState, title: string): string {
  const suffix = `${cycle > 1 ? ` (cycle ${cycle})` : ""}${phase === "linting" ? " (lint fix)" : ""}`;
  // A conventional prefix may come in front.
  const room = SUBJECT_LENGTH - "refactor: ".length - suffix.length;
  return `${cutAtWord(title, suffix === "" ? SUBJECT_LENGTH : room)}${suffix}`;
}
