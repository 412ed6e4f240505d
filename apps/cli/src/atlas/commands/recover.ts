import type { HookFile } from "@quasar/hookfile";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { result } from "../../shared/output/json.ts";
import { ask, canAsk } from "../../shared/ask.ts";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines } from "../../shared/output/text.ts";
import { type Choice, choicesOf } from "../choices.ts";
import type { Given } from "../command.ts";
import { recoveryFacts } from "../facts/hook.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextWithoutTree } from "../lost-tree.ts";
import { naming } from "../next.ts";
import { recoveryText, stateText } from "../output/hook-lines.ts";
import type { RecoverLine } from "../schemas/status.ts";

/** `atlas recover`: what a crash has left, and what can be done; does the one that is chosen. */
export async function recoverCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const { hook, found, owner } = await openMeant(openInstallation(), id);
  const choices = found === "running" ? [] : choicesOf(hook);
  if (given.apply !== undefined) {
    return apply(chosenByName(choices, given.apply, hook), id, given);
  }
  const { taskId, state, recovery, awaiting } = hook;
  // Before any of the choices.
  const next = nextWithoutTree(hook, naming(id)) ?? [];
  if (given.json === true) {
    const line = {
      ...{ taskId, state, found },
      recovery: recovery && recoveryFacts(recovery),
      awaiting,
      choices: choices.map(entryOf),
    };
    const printed = result("recover", line, EXIT.ok, next) satisfies RecoverLine;
    process.stdout.write(jsonLine(printed));
    return EXIT.ok;
  }
  const view = viewOf(process.stdout);
  const { lastKnownState, crashType } = recovery ?? {};
  write(process.stdout, [
    view.paint("bold", `${cleanLine(taskId)}: ${stateText(hook)}`),
    ...(recovery === undefined
      ? []
      : labelled(view, "crash", `in ${lastKnownState} (${crashType})`, "yellow")),
    ...(recovery === undefined
      ? []
      : labelled(view, "advice", recoveryText(recovery.recommendedAction, recovery.reason))),
    ...(awaiting === undefined
      ? []
      : labelled(view, "waits", cleanLine(awaiting.reason), "yellow")),
    ...(owner === undefined
      ? []
      : labelled(view, "driven", `by process ${owner.pid}: leave it alone`)),
    ...choices.flatMap(({ command, meaning }, n) =>
      labelled(view, String(n + 1), cleanLine(`${command}   # ${meaning}`), "cyan"),
    ),
    ...nextLines(next, view),
  ]);
  if (choices.length === 0) return EXIT.ok;
  if (!canAsk()) {
    const names = [...new Set(choices.map(({ decision }) => decision.kind))].join("|");
    throw new CliError("ERR_DECISION", "nothing was chosen: there is no terminal to ask at", {
      next: [`atlas recover${naming(id)} --apply <${names}>`],
    });
  }
  const choice = choices[Number(await ask("Which one? [nothing] ")) - 1];
  return choice === undefined ? EXIT.ok : apply(choice, id, given);
}

/** A choice as it is printed. `name` is what `--apply` takes. */
function entryOf({ decision, command, meaning }: Choice): RecoverLine["choices"][number] {
  return { name: decision.kind, command, meaning };
}

function chosenByName(
  choices: readonly Choice[],
  name: string,
  { taskId, state }: HookFile,
): Choice {
  const choice = choices.find(({ decision }) => decision.kind === name);
  if (choice !== undefined) return choice;
  const known = [...new Set(choices.map(({ decision }) => decision.kind))].join(", ");
  const message = `${cleanLine(name)} cannot be done now: task ${taskId} is ${state}`;
  throw new CliError("ERR_NOT_AWAITED", message, {
    next: [known === "" ? "atlas status" : `one of: ${known}`],
  });
}

/** Does what the command of that name does. */
async function apply(
  { decision }: Choice,
  id: string | undefined,
  given: Given,
): Promise<ExitCode> {
  switch (decision.kind) {
    case "resume":
      return (await import("./resume.ts")).resumeCommand(id, given);
    case "retry":
      return (await import("./retry.ts")).retryCommand(id, given);
    case "skip": {
      const reason = given.reason ?? (await askFor("Why? "));
      return (await import("./skip.ts")).skipCommand(id, { ...given, reason });
    }
    case "approve":
      return (await import("./approve.ts")).approveCommand(id, given);
    case "reject": {
      const { isFinal } = decision;
      const feedback = given.feedback ?? (isFinal ? "" : await askFor("What is wrong? "));
      const final = isFinal ? true : given.final;
      return (await import("./reject.ts")).rejectCommand(id, { ...given, feedback, final });
    }
    case "abandon":
      return (await import("./abandon.ts")).abandonCommand(id, given);
  }
}

async function askFor(question: string): Promise<string> {
  return canAsk() ? ask(question) : "";
}
