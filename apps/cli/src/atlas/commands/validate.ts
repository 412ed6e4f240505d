import { cleanLine } from "@quasar/runs/text";
import { validateTask } from "@quasar/tasks/operations";
import { ATLAS_EXIT, EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { createReporterOf } from "../../shared/output/reporter.ts";
import { STREAMS } from "../../shared/streams.ts";
import { environmentOfChecks, tellWithheld } from "../../shared/checks/environment.ts";
import { workersOf } from "../drive.ts";
import type { Given } from "../command.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextOf } from "../next.ts";
import { chainExit } from "../output/chain-lines.ts";
import { TASK_PRESENTER } from "../output/presenter.ts";
import { watchChain } from "../watch-chain.ts";

/** `atlas validate`: runs the validation commands and signs what came of them; advances nothing. */
export async function validateCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook, task, owner } = await openMeant(installation, id);
  const settings = workersOf(task.config, {}, installation.home);
  const warn = (message: string): void => reporter.report({ type: "warning", message });
  const failed = tellWithheld(settings, warn);
  const reporter = createReporterOf(TASK_PRESENTER, STREAMS, { json: given.json === true });
  const interrupts = listenForInterrupts((name) => {
    reporter.report({ type: "notice", message: `${name}: the command that runs is ended` });
  });
  try {
    const judgeChain = watchChain(dir, installation, warn);
    judgeChain();
    const validated = await validateTask(dir, {
      hook,
      task,
      ports: { ...installation, checkEnv: environmentOfChecks(settings) },
      tell: (event) => reporter.report(event),
      signal: interrupts.signal,
    });
    const done = exitOf(validated);
    const chain = judgeChain();
    const exit = interrupts.exitCode() ?? (done === EXIT.ok ? chainExit(chain) : done);
    const message = messageOf(validated);
    reporter.report({
      type: "validated",
      exit,
      outcome: validated.kind,
      message,
      receiptIds: validated.receipts.map(({ receiptId }) => receiptId),
      next: nextSteps(validated, nextOf(validated.hook, id, owner)),
    });
    if (validated.kind === "failed") failed(validated.failed.command.command, message);
    return exit;
  } finally {
    interrupts.stop();
    reporter.close();
  }
}

type Validated = Awaited<ReturnType<typeof validateTask>>;

function exitOf({ kind }: Validated): ExitCode {
  switch (kind) {
    case "passed":
      return EXIT.ok;
    case "failed":
    case "unsettled":
    case "interrupted":
    case "broken":
      return EXIT.error;
    case "none":
      return ATLAS_EXIT.person;
  }
}

function messageOf(validated: Validated): string {
  switch (validated.kind) {
    case "passed":
      return "every command passed";
    case "failed":
      return validated.reason;
    case "interrupted":
      return "it was interrupted";
    case "unsettled":
    case "broken":
      return cleanLine(validated.message);
    case "none":
      return "no validation command is configured: that is no pass";
  }
}

function nextSteps({ kind }: Validated, next: readonly string[]): readonly string[] {
  if (kind !== "none") return next;
  return [
    'atlas retry --validate "npm test", where the task waits for it',
    "set validation.commands in .atlas/config.toml, for tasks to come",
  ];
}
