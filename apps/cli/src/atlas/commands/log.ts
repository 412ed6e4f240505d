import { cleanLine, jsonLine } from "@quasar/runs/text";
import { readTask } from "@quasar/tasks";
import { readTaskLog } from "@quasar/tasks/record";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { cleaned } from "../../shared/output/cleaned.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { viewOf, write } from "../../shared/output/reporter.ts";
import { diagnostic, labelled, type View } from "../../shared/output/text.ts";
import { createTimeline } from "../../shared/output/timeline.ts";
import type { Given } from "../command.ts";
import { outputFacts } from "../facts/output.ts";
import { findMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { createRepeated } from "../output/repeated.ts";
import { TASK_PRESENTER, type TaskProgress } from "../output/presenter.ts";

type LoggedEvent = ReturnType<typeof readTaskLog>[number];

/** `atlas log`: what a task has gone through, by its log. */
export async function logCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const { dir, taskId } = await findMeant(openInstallation(), id);
  const events = readTaskLog(dir);
  if (given.json === true) {
    for (const { at: time, ...event } of events) {
      const { type, ...facts } = whatever(() => outputFacts(event)) ?? event;
      process.stdout.write(jsonLine({ v: JSON_VERSION, type, time, ...facts }));
    }
    return EXIT.ok;
  }
  if (events.length === 0) write(process.stderr, [`task ${cleanLine(taskId)} has no log`]);
  const timeline = createTimeline(viewOf(process.stdout));
  const isRepeated = createRepeated();
  let progress = progressOf(dir);
  for (const each of events) {
    // The log is a file: no text of it may act.
    const event = cleaned(each) as LoggedEvent;
    if (isRepeated(event)) continue;
    timeline.tell(event.at, linesOf(event, progress, timeline.view));
    progress = advanced(event, progress);
  }
  return EXIT.ok;
}

/** How many steps and cycles there are to speak of. */
function progressOf(dir: string): TaskProgress {
  const { template, config } = readTask(dir);
  const { maxCycles, maxBudgetUsd } = config;
  const { idle } = TASK_PRESENTER;
  return { ...idle, steps: template.length, loop: { ...idle.loop, maxCycles, maxBudgetUsd } };
}

function linesOf(event: LoggedEvent, progress: TaskProgress, view: View): readonly string[] {
  switch (event.type) {
    case "task_started":
      return labelled(
        view,
        "started",
        `${event.template} in ${event.worktree}, branch ${event.branch}`,
      );
    case "awaiting":
      return labelled(view, "waits", cleanLine(event.reason), "yellow");
    case "stopped":
      return labelled(view, "stopped", cleanLine(event.message), "yellow");
    case "task_ended":
      return labelled(view, "ended", event.state);
    case "warning":
      return diagnostic(view, "warning: ", "yellow", event.message);
    default:
      return (
        whatever(() => TASK_PRESENTER.lines(event, progress, view)) ??
        labelled(view, "", event.type)
      );
  }
}

function advanced(event: LoggedEvent, progress: TaskProgress): TaskProgress {
  return whatever(() => TASK_PRESENTER.advance(progress, event, Date.parse(event.at))) ?? progress;
}

/** A line that another version has written, or that was cut, may lack what is shown of it. */
function whatever<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    return undefined;
  }
}
