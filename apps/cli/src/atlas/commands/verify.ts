import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { TRAILER } from "@quasar/git";
import { readCommit, resolveCommit } from "@quasar/git/history";
import { treeOfCommit } from "@quasar/git/internal";
import { listTaskFolders, type TaskFolder } from "@quasar/hookfile/folders";
import {
  type ChainHead,
  listReceiptTasks,
  parseReceiptsTrailer,
  ReceiptError,
  type TaskName,
} from "@quasar/receipts";
import { pinKeys } from "@quasar/receipts/keys";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { findTask, TasksError } from "@quasar/tasks";
import {
  taskReceipts,
  type Verification,
  type VerifiedCommit,
  verifyReceipts,
} from "@quasar/tasks/receipts";
import { CliError } from "../../shared/errors.ts";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { result } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import { chainFacts, statementFacts } from "../facts/receipt.ts";
import { type Installation, openInstallation } from "../installation.ts";
import { receiptsText } from "../output/chain-lines.ts";
import type { VerifyLine } from "../schemas/status.ts";

/**
 * `atlas verify`: whether a commit is what its task's receipts say was validated. Needs no private key,
 * so that a CI can ask with a pinned public one.
 */
export async function verifyCommand(what: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const keys = given.key === undefined ? installation.keys : pinned(given.key);
  const heads = given.head === undefined ? [] : [headOf(given.head)];
  const subject = await subjectOf(installation, what, given.receipts);
  const { commit, receipts, task } = subject;
  const found: Verification =
    task === undefined
      ? unknownTask(subject)
      : verifyReceipts({
          ...{ ...receipts, task, keys, commit },
          heads: [...heads, ...(receipts.heads ?? [])],
          required: given.require,
        });
  const exit = EXITS[found.kind];
  if (given.json === true) {
    const { kind: outcome, problems: reasons } = found;
    const line = {
      ...{ outcome, reasons, commit, ...task, receiptsDir: receipts.dir },
      chain: chainFacts(found.chain),
      results: found.results.map(statementFacts),
    };
    const printed = result(
      "verify",
      line,
      exit,
      nextSteps(found.kind, subject),
    ) satisfies VerifyLine;
    process.stdout.write(jsonLine(printed));
  } else {
    write(process.stdout, verificationLines(subject, found, viewOf(process.stdout)));
  }
  return exit;
}

const EXITS: Readonly<Record<Verification["kind"], ExitCode>> = {
  valid: EXIT.ok,
  invalid: ATLAS_EXIT.invalidReceipt,
  unverifiable: ATLAS_EXIT.unverifiableReceipt,
};

type TaskReceipts = ReturnType<typeof taskReceipts>;

/** What is verified. */
interface Subject {
  readonly commit: VerifiedCommit | undefined;
  /** Where its receipts are, `""` where it is unknown; of a task that is here, also what is on record. */
  readonly receipts: Pick<TaskReceipts, "dir"> & Partial<TaskReceipts>;
  /** `undefined`: it is unknown whose receipts are meant. */
  readonly task: TaskName | undefined;
}

async function subjectOf(
  installation: Installation,
  what: string | undefined,
  folderOfReceipts: string | undefined,
): Promise<Subject> {
  const given = folderOfReceipts === undefined ? undefined : { dir: resolve(folderOfReceipts) };
  const folder = what === undefined ? undefined : await taskNamed(installation, what);
  if (folder !== undefined) {
    const { workspaceId, taskId, branch, repository } = folder;
    const sha = repository && (await resolveCommit(repository, `refs/heads/${branch}`));
    const commit = sha && repository ? await commitAt(repository, sha) : undefined;
    const receipts = given ?? taskReceipts(folder.dir);
    return { commit, receipts, task: { workspaceId, taskId } };
  }
  const commit = await commitNamed(what ?? "HEAD");
  if (given !== undefined) {
    return { commit, receipts: given, task: ofCommit(listReceiptTasks(given.dir), commit) };
  }
  const folders = listTaskFolders(installation.workspacesDir);
  const { taskId } = commit;
  const task = taskId === undefined ? undefined : folders.find((one) => one.taskId === taskId);
  if (task === undefined) return { commit, receipts: { dir: "" }, task };
  const { workspaceId, dir } = task;
  const name = { workspaceId, taskId: task.taskId };
  return { commit, receipts: taskReceipts(dir), task: name };
}

/** The one that the commit names; the only one where it names none. */
function ofCommit(tasks: readonly TaskName[], { taskId }: VerifiedCommit): TaskName | undefined {
  if (taskId !== undefined) return tasks.find((task) => task.taskId === taskId);
  return tasks.length === 1 ? tasks[0] : undefined;
}

interface NamedTask extends TaskFolder {
  readonly branch: string;
  /** `undefined` where its branch is not to be searched for. */
  readonly repository: string | undefined;
}

/** A task by its id or workspace, one that was cleaned up too; `undefined` where none has that name. */
async function taskNamed(
  { home, workspacesDir }: Installation,
  id: string,
): Promise<NamedTask | undefined> {
  try {
    const { hook, ...folder } = await findTask({ home, cwd: process.cwd(), id, ended: true });
    const { branch = "", repoPath } = hook ?? {};
    return { ...folder, branch, repository: branch === "" ? undefined : repoPath };
  } catch (error) {
    if (!(error instanceof TasksError) || error.code !== "ERR_NOT_FOUND") throw error;
    const buried = listTaskFolders(workspacesDir).find(({ taskId }) => taskId === id);
    return buried && { ...buried, branch: "", repository: undefined };
  }
}

async function commitNamed(name: string): Promise<VerifiedCommit> {
  const workTree = process.cwd();
  const sha = await resolveCommit(workTree, name);
  if (sha !== undefined) return commitAt(workTree, sha);
  const message = `${cleanLine(name)} is neither a task nor a commit of this repository`;
  throw new CliError("ERR_NOT_FOUND", message, {
    next: ["atlas list, for tasks", "git log, for commits"],
  });
}

async function commitAt(workTree: string, sha: string): Promise<VerifiedCommit> {
  const [{ trailers }, tree = ""] = await Promise.all([
    readCommit(workTree, sha),
    treeOfCommit(workTree, sha),
  ]);
  const named = trailers.get(TRAILER.receipts)?.at(-1);
  const head =
    named === undefined ? undefined : parseReceiptsTrailer(`${TRAILER.receipts}: ${named}`);
  return { sha, tree, taskId: trailers.get(TRAILER.task)?.at(-1), head };
}

function pinned(path: string): ReturnType<typeof pinKeys> {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (cause) {
    throw new CliError("ERR_USAGE", `--key ${cleanLine(path)} cannot be read`, {
      cause,
      next: ["atlas keys export > atlas.pub, where the receipts are signed"],
    });
  }
  const isPem = text.includes("-----BEGIN");
  const keys = isPem ? [text] : text.split("\n").filter((line) => line.trim() !== "");
  try {
    return pinKeys(keys);
  } catch (cause) {
    if (!(cause instanceof ReceiptError)) throw cause;
    throw new CliError("ERR_USAGE", `--key ${cleanLine(path)}: ${cause.message}`, { cause });
  }
}

/** As the trailer and the body of a pull request have it. */
function headOf(text: string): ChainHead {
  const head = parseReceiptsTrailer(`Quasar-Receipts: ${text.replace(/^Quasar-Receipts: */, "")}`);
  if (head !== undefined) return head;
  const message = `--head is not what a trailer Quasar-Receipts says: ${cleanLine(text)}`;
  throw new CliError("ERR_USAGE", message);
}

function unknownTask({ commit, receipts: { dir } }: Subject): Verification {
  const { taskId } = commit ?? {};
  const problem =
    taskId !== undefined
      ? `the receipts of task ${taskId} are not here`
      : dir === ""
        ? "the commit carries no receipt: no task made it (it has no trailer Quasar-Task)"
        : "the commit names no task, and the folder has not the receipts of one task";
  const chain = { kind: "unverifiable", problems: [problem], here: 0, tail: "unproved" } as const;
  const results = [] as const;
  return {
    kind: "unverifiable",
    problems: [problem],
    chain: { ...chain, signed: commit?.head?.count },
    results,
  };
}

const WORDS = {
  valid: ["VALID ✓", "green"],
  invalid: ["INVALID ✗", "red"],
  unverifiable: ["UNVERIFIABLE", "yellow"],
} as const;

function verificationLines(
  subject: Subject,
  { kind, problems, chain, results }: Verification,
  view: View,
): string[] {
  const { commit, task } = subject;
  const [word, style] = WORDS[kind];
  return [
    view.paint(style, word),
    ...(commit === undefined ? [] : labelled(view, "commit", commit.sha)),
    ...(commit === undefined ? [] : labelled(view, "tree", commit.tree)),
    ...(task === undefined ? [] : labelled(view, "task", cleanLine(task.taskId))),
    ...labelled(view, "receipts", receiptsText(chain, commit?.head)),
    ...results.flatMap(({ command, exitCode, receiptId }) => {
      const how = exitCode === 0 ? "passed" : "failed";
      const text = `${cleanLine(command)}   (${cleanLine(receiptId)})`;
      return labelled(view, how, text, exitCode === 0 ? undefined : "red");
    }),
    ...problems.flatMap((problem, n) =>
      labelled(view, n === 0 ? "because" : "", cleanLine(problem), style),
    ),
    ...nextLines(nextSteps(kind, subject), view),
  ];
}

function nextSteps(
  kind: Verification["kind"],
  { commit, task, receipts: { dir } }: Subject,
): readonly string[] {
  if (kind !== "unverifiable") return [];
  if (commit?.taskId === undefined && dir === "") {
    return [
      "atlas list   # the tasks here",
      "atlas verify <task>   # a task's last commit",
      "atlas verify <commit>   # a commit that a task made",
    ];
  }
  if (task === undefined || dir === "") {
    return [
      `atlas verify --receipts <folder>   # ${join("…", "artifacts", "receipts")} of the task`,
    ];
  }
  return [
    "atlas verify --key atlas.pub   # made by atlas keys export where they were signed",
    'atlas verify --head "<count> <sha256>"   # Quasar-Receipts of the pull request',
  ];
}
