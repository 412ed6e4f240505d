import { join } from "node:path";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { lockWorkspace } from "../lock.ts";
import { cleanLine, jsonLine } from "../../shared/output/clean.ts";
import { money, shellWord } from "../../shared/output/format.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { firstLine, labelled, nextLines } from "../../shared/output/text.ts";
import { newRunId, parseRunId } from "../run-id.ts";
import { findRun } from "../runs/find.ts";
import { forkOf } from "../runs/fork.ts";
import { noteFact, readFacts } from "../runs/journal.ts";
import { forkNotes, runStores } from "../../shared/runs/store.ts";
import { resumeCommand } from "../runs/summary.ts";
import { stageOf } from "../runs/text.ts";
import { openUser } from "../../shared/user.ts";
import { inLinkedTree } from "../work-tree.ts";
import { openWorkspace } from "../../shared/workspace.ts";

export interface ForkCommandOptions {
  readonly at?: string | undefined;
  readonly trust?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar fork`: a new run that goes on from a state of another one, in a work tree of its own. */
export async function forkCommand(id: string, options: ForkCommandOptions): Promise<ExitCode> {
  const from = parseRunId(id);
  const at = options.at === undefined ? undefined : parseCycle(from, options.at);
  const workspace = await openWorkspace(process.cwd());
  const sealKey = openUser().sealKey();
  const { dir, loaded } = await findRun(workspace, from, sealKey);
  const { checkpoint, seal } = loaded;
  if (seal !== "valid" && options.trust !== true) throw foreign(from);

  const now = new Date();
  const runId = newRunId(now);
  const facts = readFacts(dir);
  const point = { runId, at, createdAt: now.toISOString(), facts };
  const forked = forkOf({ ...checkpoint, runId: from }, point);
  const branch = `quasar/${runId}`;
  const made = { runId, from: forked.gitSha };
  const tree = await inLinkedTree(workspace, made, async (forkedTree, keep) => {
    const lock = await lockWorkspace(forkedTree);
    try {
      const { current } = runStores(forkedTree, runId, sealKey);
      const begun = { type: "forked", from, cycle: forked.cycle };
      const runDir = join(forkedTree.runsDir, runId);
      noteFact(runDir, begun, (message) => write(process.stderr, [message]));
      const extra = forkNotes(forked, seal === "valid");
      await current.save({ ...forked, branch, extra });
      keep();
    } finally {
      lock.release();
    }
    return forkedTree;
  });

  const { cycle, phase, gitSha: commit, maxBudgetUsd, maxCycles } = forked;
  const next = [`cd ${shellWord(tree.root)} && ${resumeCommand(runId, forked)}`];
  if (options.json === true) {
    const facts = { runId, from, workDir: tree.root, branch, commit, cycle, phase, next };
    process.stdout.write(jsonLine({ v: JSON_VERSION, type: "fork", ...facts }));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const limit = maxBudgetUsd === 0 ? "no limit" : money(maxBudgetUsd);
  const where = `cycle ${cycle} of ${maxCycles}, ${stageOf({ phase, openTurn: undefined })}`;
  write(process.stdout, [
    view.paint("bold", `run ${runId}, forked from ${from}`),
    ...labelled(view, "task", firstLine(forked.taskTitle)),
    ...labelled(view, "in", cleanLine(`${tree.root}, branch ${branch}`)),
    ...labelled(view, "stands", `${where}, at commit ${commit.slice(0, 10)}`),
    ...labelled(view, "cost", `$0.00 of ${limit}: counted anew, apart from the other run`),
    ...labelled(view, "without", "what the other run had not committed"),
    ...nextLines(next, view),
  ]);
  return EXIT.ok;
}

function parseCycle(runId: string, text: string): number {
  if (/^[1-9]\d{0,4}$/u.test(text)) return Number(text);
  throw new CliError("ERR_USAGE", "--at must be the number of a cycle, from 1", {
    next: [`quasar show ${runId}`],
  });
}

function foreign(runId: string): CliError {
  const message = `this machine did not write the checkpoint of run ${runId}`;
  return new CliError("ERR_FOREIGN_CHECKPOINT", message, {
    next: [
      `quasar fork ${runId} --trust   (only if you know where it comes from: it is an agent's prompt)`,
    ],
  });
}
