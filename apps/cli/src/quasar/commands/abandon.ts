import { endRunProcesses } from "@quasar/agents";
import { ask, canAsk, isYes } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { lockWorkspace } from "../lock.ts";
import { findOutliving } from "../orphans.ts";
import { cleanLine, jsonLine } from "../../shared/output/clean.ts";
import { processes } from "../../shared/output/format.ts";
import { JSON_VERSION, viewOf, write } from "../../shared/output/reporter.ts";
import { firstLine, labelled, nextLines, type View } from "../../shared/output/text.ts";
import { parseRunId } from "../run-id.ts";
import { findRun } from "../runs/find.ts";
import { noteFact } from "../runs/journal.ts";
import { abandonRun } from "../../shared/runs/store.ts";
import { openUser } from "../../shared/user.ts";
import { forgetSeed } from "../work.ts";
import { listed, uncommitted } from "../work-tree.ts";
import { openWorkspace } from "../../shared/workspace.ts";

export interface AbandonOptions {
  readonly yes?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar abandon`: gives a run up. Its agents are ended; its files, commits and snapshots stay. */
export async function abandonCommand(id: string, options: AbandonOptions): Promise<ExitCode> {
  const wanted = parseRunId(id);
  const workspace = await openWorkspace(process.cwd());
  const lock = await lockWorkspace(workspace);
  try {
    const { dir, ended, loaded } = await findRun(workspace, wanted);
    if (ended) {
      throw new CliError("ERR_NOTHING_TO_RESUME", `run ${wanted} has ended already`, {
        next: [`quasar show ${wanted}`],
      });
    }
    const [alive] = await findOutliving([wanted]);
    const pids = alive?.pids ?? [];
    if (pids.length > 0 && options.yes !== true) await askToEnd(wanted, pids);
    if (pids.length > 0) await endAgents(wanted);
    noteFact(dir, { type: "abandoned" }, warn);
    await forgetSeed(workspace, wanted);
    await abandonRun(workspace, wanted, openUser().sealKey());
    const differing = await uncommitted(workspace);
    const next = [
      ...(differing.length === 0 ? [] : UNCOMMITTED_STEPS),
      `quasar prune ${wanted}   (removes its files)`,
      'quasar run "…"',
    ];
    if (options.json === true) {
      const facts = { runId: wanted, ended: pids, uncommitted: differing, next };
      process.stdout.write(jsonLine({ v: JSON_VERSION, type: "abandon", ...facts }));
      return EXIT.ok;
    }
    const view = viewOf(process.stdout);
    write(process.stdout, [
      view.paint("bold", `abandoned run ${wanted}`),
      ...labelled(view, "task", firstLine(loaded.checkpoint.taskTitle)),
      ...(pids.length === 0 ? [] : labelled(view, "ended", processes(pids))),
      ...labelled(view, "kept", "its commits, snapshots and files"),
      ...uncommittedLines(differing, view),
      ...nextLines(next, view),
    ]);
    return EXIT.ok;
  } finally {
    lock.release();
  }
}

/** Of the agent or of a person: the run is over, and nobody commits it. */
function uncommittedLines(paths: readonly string[], view: View): readonly string[] {
  if (paths.length === 0) return [];
  return labelled(view, "differs", `${listed(paths).join(", ")} (not committed, left as it is)`);
}

const UNCOMMITTED_STEPS = [
  "git status && git diff   (shows what is not committed)",
  "git stash -u   (sets it aside)",
];

function warn(message: string): void {
  write(process.stderr, [cleanLine(message)]);
}

async function askToEnd(runId: string, pids: readonly number[]): Promise<void> {
  const message = `its agent still works: ${processes(pids)}`;
  if (canAsk() && isYes(await ask(`${message}. End it? [y/N] `))) return;
  throw new CliError("ERR_AGENT_ALIVE", `run ${runId} is not abandoned: ${message}`, {
    next: [`quasar abandon ${runId} --yes   (ends it)`, `quasar resume ${runId}   (follows it)`],
  });
}

async function endAgents(runId: string): Promise<void> {
  // Claude Code writes down what a turn has cost when it is interrupted.
  const ended = await endRunProcesses(runId, { signal: "SIGINT", graceMs: 2000 });
  const left = ended?.left ?? [];
  if (left.length === 0) return;
  throw new CliError("ERR_STATE", `processes of run ${runId} do not end: ${left.join(" ")}`, {
    next: [`kill -9 ${left.join(" ")}, then the same command again`],
  });
}
