import { clean, cleanLine, jsonLine } from "@quasar/runs/text";
import type { TaskRecord } from "@quasar/tasks";
import { approveTask, type Review, REVIEW_GAPS, reviewOf } from "@quasar/tasks/operations";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { naming } from "../next.ts";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { startHeartbeat } from "../../shared/output/heartbeat.ts";
import { viewOf, workLines, write } from "../../shared/output/reporter.ts";
import { labelled } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { tellDecided } from "../decided.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { diffLines } from "../../shared/output/diff.ts";
import { labelledText } from "../output/hook-lines.ts";
import { isWithinRun } from "../../shared/within-run.ts";
import { quarantineLines } from "../output/quarantine-lines.ts";
import { pullRequestOf } from "../output/picture.ts";
import type { ReviewLine } from "../schemas/decisions.ts";

/** `atlas approve`: shows all that the task has changed, and approves that and nothing else, once. */
export async function approveCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  refuseAgents();
  if (given.json === true) return approve(id, given);
  const { stderr } = process;
  const heart = startHeartbeat((text) => write(stderr, workLines(text, viewOf(stderr))));
  return approve(id, given).finally(() => heart.stop());
}

async function approve(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook, task, quarantined } = await openMeant(installation, id);
  const review = await reviewOf({ dir, hook, task }, installation);
  if (given.tree !== undefined && given.tree !== review.content) {
    const message = `what is there is ${review.content}, not ${given.tree}: nothing was approved`;
    throw new CliError("ERR_CHANGED", message, { next: ["atlas approve, to see what it is now"] });
  }
  const isAgreed = given.yes === true || given.tree !== undefined;
  const { base: baseSha, tree, sha256, diff, answer, content, asked, gaps } = review;
  const shown = { baseSha, tree, sha256, stat: diff.stat, diff: diff.text, answer, content, gaps };
  const leadsTo = gitActions(review, task);
  const accepted = REVIEW_GAPS.filter((kind) => given[ACCEPTED[kind]] === true);
  const refused = gaps.filter(({ kind }) => !accepted.includes(kind));
  if (given.json !== true) {
    const view = viewOf(process.stdout);
    write(process.stdout, [
      ...reviewLines(review, leadsTo),
      ...quarantineLines(quarantined, id, view),
    ]);
  } else if (!isAgreed || refused.length > 0) {
    const facts = { taskId: hook.taskId, asked, ...shown, leadsTo, quarantined };
    const line = { v: JSON_VERSION, type: "review", ...facts } satisfies ReviewLine;
    process.stdout.write(jsonLine(line));
  }
  if (refused.length > 0) throw notAccepted(review, refused, id);
  if (!isAgreed) await agree(review, id, given);
  const approved = await approveTask(dir, review, installation, accepted);
  const pullRequest = pullRequestOf(task);
  const facts = { reviewed: shown, pullRequest };
  if (given.json !== true && pullRequest !== undefined) {
    const text = `${cleanLine(pullRequest)} stays open: merge or close it there${
      gaps.some(({ kind }) => kind !== "unvalidated") ? "; it has not all that was approved" : ""
    }`;
    write(process.stdout, labelled(viewOf(process.stdout), "PR", text));
  }
  return tellDecided({ type: "approve", said: "approved", hook: approved, id, facts }, given);
}

type ReviewGap = Review["gaps"][number];

const ACCEPTED = {
  unvalidated: "acceptUnvalidated",
  uncommitted: "acceptUncommitted",
  ignored: "acceptIgnored",
  unpushed: "acceptUnpushed",
} as const satisfies Record<ReviewGap["kind"], keyof Given>;

/** Each difference has a flag of its own: nobody accepts what they have not read. */
function notAccepted(
  { gaps, content }: Review,
  refused: readonly ReviewGap[],
  id: string | undefined,
): CliError {
  const message = `nothing was approved: ${refused.map((gap) => gap.message).join("; ")}`;
  const flags = gaps.map(({ kind }) => `--accept-${kind}`).join(" ");
  const named = naming(id);
  const validate = refused.some(({ kind }) => kind === "unvalidated");
  return new CliError("ERR_NOT_ACCEPTED", message, {
    next: [
      ...(validate ? [`atlas validate${named}   # to have it validated as it is`] : []),
      `atlas approve${named} --tree ${content} ${flags}   # as it is`,
      `atlas reject${named} --feedback "what is wrong"`,
    ],
  });
}

/** No gate for one that means to get through: it can take the mark off that its runner has put on it. */
function refuseAgents(): void {
  if (!isWithinRun()) return;
  const message = "this was started by an agent or a validation command, and a person approves";
  throw new CliError("ERR_PERSON", message, { next: ["atlas hook context"] });
}

type GitAction = NonNullable<TaskRecord["template"][number]["action"]>;

const GIT_WORDS: Readonly<Record<GitAction, string>> = {
  commit: "git commit",
  push: "git push",
  create_pr: "a pull request",
};

/** What git is used for between this approval and the next person's step. */
function gitActions({ leadsTo }: Review, { template }: TaskRecord): readonly GitAction[] {
  const names = leadsTo.map(({ name }) => name);
  return template.flatMap(({ name, action }) =>
    action !== undefined && names.includes(name) ? [action] : [],
  );
}

function reviewLines(
  { diff, asked, step, answer, content, gaps }: Review,
  leadsTo: readonly GitAction[],
): string[] {
  const view = viewOf(process.stdout);
  const answered = answer && [`${answer.step} said:`, "", ...clean(answer.text).split("\n"), ""];
  return [
    ...(answered ?? []),
    ...diffLines(diff, view.paint),
    "",
    ...labelledText(view, step, asked),
    ...labelled(view, "content", content),
    ...(leadsTo.length === 0
      ? []
      : labelled(
          view,
          "then",
          `approving leads to: ${leadsTo.map((one) => GIT_WORDS[one]).join(", ")}`,
        )),
    ...gaps.flatMap(({ kind, message }) =>
      labelled(view, "differs", `${kind}: ${message}`, "yellow"),
    ),
  ];
}

/** Nobody is asked of JSON: what a person says yes to is what they can read. */
async function agree(
  { content }: Review,
  id: string | undefined,
  { json }: Pick<Given, "json">,
): Promise<void> {
  if (json !== true && canAsk() && isYes(await ask("Approve this? [y/N] "))) return;
  const named = naming(id);
  throw new CliError("ERR_PERSON", "nothing was approved", {
    next: [
      `atlas approve${named} --tree ${content}   # this content`,
      `atlas reject${named} --feedback "what is wrong"`,
    ],
  });
}
