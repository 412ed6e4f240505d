import { join } from "node:path";
import {
  createHookFileStore,
  type HookFile,
  HookFileError,
  type HookFileStore,
} from "@quasar/hookfile";
import { TASK_FILES } from "@quasar/hookfile/internal";
import { cleanLine, jsonLine, count, moment, fit } from "@quasar/runs/text";
import { failedAttempts } from "@quasar/tasks/record";
import { result } from "../../shared/output/json.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { labelled, nextLines, type View } from "../../shared/output/text.ts";
import type { Given } from "../command.ts";
import {
  checkpointFacts,
  countFacts,
  currentStepFacts,
  ownerFacts,
  recoveryFacts,
} from "../facts/hook.ts";
import { chainFacts } from "../facts/receipt.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { nextOf } from "../next.ts";
import { quarantineLines } from "../output/quarantine-lines.ts";
import { chainExit, chainLines } from "../output/chain-lines.ts";
import { attemptText, checkpointText, hookLines, recoveryText } from "../output/hook-lines.ts";
import type { HookStatusLine } from "../schemas/status.ts";

/** `atlas hook status`: the state, the step and the last checkpoint; and whether the history is whole. */
export async function hookStatusCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const installation = openInstallation();
  const { dir, hook, problems, quarantined, chain, owner, stop } = await openMeant(
    installation,
    id,
  );
  const broken = brokenHistory(createHookFileStore({ dir }), hook);
  const exit = broken === undefined ? chainExit(chain) : EXIT.corrupt;
  const next = nextOf(hook, id, owner, stop);
  if (given.json === true) {
    const { taskId, workspaceId, state, currentStep, awaiting, recovery, revision, counts } = hook;
    const last = hook.checkpoints.at(-1);
    const position = {
      ...{ taskId, workspaceId, state },
      currentStep: currentStep && currentStepFacts(currentStep),
      awaiting,
      recovery: recovery && recoveryFacts(recovery),
    };
    const facts = {
      revision,
      counts: countFacts(counts),
      lastCheckpoint: last && checkpointFacts(last),
      owner: owner && ownerFacts(owner),
      chain: chainFacts(chain),
      problems,
      quarantined,
    };
    const line = { dir, ...position, ...facts, brokenHistory: broken };
    const printed = result("hook_status", line, exit, next) satisfies HookStatusLine;
    process.stdout.write(jsonLine(printed));
    return exit;
  }
  const view = viewOf(process.stdout);
  const { currentStep, awaiting, recovery, counts, revision } = hook;
  const last = hook.checkpoints.at(-1);
  write(process.stdout, [
    ...hookLines(hook, installation.now().getTime()),
    ...labelled(
      view,
      "task",
      cleanLine(`${hook.taskId} (${hook.template}), workspace ${hook.workspaceId}`),
    ),
    ...(currentStep === undefined
      ? []
      : labelled(
          view,
          "step",
          cleanLine(
            `${currentStep.stepName} (${currentStep.stepIndex + 1} of ${hook.steps.length}), ` +
              `${attemptText({ ...currentStep, failed: failedAttempts(hook, currentStep.stepName) })}, ` +
              `since ${moment(currentStep.startedAt)}`,
          ),
        )),
    ...optional(view, "at", currentStep?.workingOn),
    ...(last === undefined ? [] : labelled(view, "saved", checkpointText(last))),
    ...optional(view, "waits", awaiting && `${awaiting.kind}: ${awaiting.reason}`),
    ...optional(view, "crash", recovery && `${recovery.crashType} in ${recovery.lastKnownState}`),
    ...optional(
      view,
      "does",
      recovery && recoveryText(recovery.recommendedAction, recovery.reason),
    ),
    ...(owner === undefined ? [] : labelled(view, "driven", `by process ${owner.pid}`)),
    ...labelled(
      view,
      "history",
      `${count(counts.events, "event")}, ${count(counts.checkpoints, "checkpoint")}, ` +
        `${count(counts.receipts, "receipt")}; revision ${revision}`,
    ),
    ...chainLines(chain, view),
    ...(broken === undefined ? [] : labelled(view, "damaged", cleanLine(broken), "red")),
    ...quarantineLines(quarantined, id, view),
    ...problems
      .filter(({ code }) => code !== "damaged_hook")
      .flatMap(({ message }) => labelled(view, "repaired", cleanLine(message), "yellow")),
    ...labelled(view, "HOOK.md", cleanLine(join(dir, TASK_FILES.hookMd))),
    ...nextLines(next, view),
  ]);
  return exit;
}

function optional(view: View, label: string, text: string | undefined): string[] {
  return text === undefined ? [] : labelled(view, label, fit(cleanLine(text), 500));
}

/** What is wrong with the history from its first event on, in words; `undefined` where it is whole. */
function brokenHistory(store: HookFileStore, { counts }: HookFile): string | undefined {
  try {
    const events = [...store.history()].length;
    if (events === counts.events) return undefined;
    return `hook.json counts ${counts.events} events, the history has ${events}`;
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_DAMAGED") return error.message;
    throw error;
  }
}
