import { endRunProcesses, listRunProcesses } from "@quasar/agents/turns";
import { type FirstTaskPlace, firstTaskPlace } from "../first-task.ts";
import { MORE_AGENTS } from "../more/agents.ts";
import type { Finished, Running } from "../place.ts";
import { type Observed, observe } from "./observe.ts";
import { ARRIVALS } from "./points.ts";
import { isThere, kill, processesOf, type TurnProcesses } from "./processes.ts";
import { HELD_PROJECT, release } from "./project.ts";
import { type AgentName, type Kill, nameOf, numberOf } from "./table.ts";

/** How often a run is resumed before it counts as one that does not end. */
const MOST_RESUMES = 3;

/** A first task without a kill. */
export function driveWhole(agent: AgentName): Promise<Observed> {
  return inPlace(agent, async (place) => observe(place, await place.begin().finished, 0));
}

/** A first task with one kill, resumed until it is done. */
export function driveKilled(planned: Kill): Promise<Observed> {
  return inPlace(planned.agent, async (place) => {
    const runner = place.begin();
    const { promise: over, resolve: endWait } = Promise.withResolvers<void>();
    const reached = Promise.withResolvers<TurnProcesses>();
    ARRIVALS[planned.point]({
      place,
      turn: planned.turn,
      over,
      processes: () => processesOf(place.repo, numberOf(planned), runner),
      reach(processes) {
        kill(planned.victim, processes);
        reached.resolve(processes);
      },
    });
    const ended = await Promise.race([reached.promise.then(() => undefined), runner.finished]);
    if (ended !== undefined) {
      throw new Error(`${nameOf(planned)} was not reached:\n${ended.stdout}${ended.stderr}`);
    }
    const { last, resumes } = await afterKill(planned, place, runner, endWait);
    return observe(place, last, resumes);
  });
}

/** Where only the runner was killed, what its agent waits for comes when the resume has reattached to it. */
async function afterKill(
  { victim, point }: Kill,
  place: FirstTaskPlace,
  runner: Running,
  endWait: () => void,
): Promise<{ readonly last: Finished; readonly resumes: number }> {
  if (victim !== "runner") endWait();
  if (point === "ended" && isThere(runner.pid)) process.kill(runner.pid, "SIGCONT");
  let last = await runner.finished;
  let resumes = 0;
  for (; last.code !== 0 && resumes < MOST_RESUMES; resumes += 1) {
    const resume = place.start("resume");
    if (victim === "runner") {
      await resume.printed("reattached");
      endWait();
      release(place.repo);
    }
    last = await resume.finished;
  }
  return { last, resumes };
}

async function inPlace(
  name: AgentName,
  work: (place: FirstTaskPlace) => Promise<Observed>,
): Promise<Observed> {
  const place = await firstTaskPlace(HELD_PROJECT, MORE_AGENTS[name]);
  try {
    return await work(place);
  } finally {
    const left = listRunProcesses()?.filter(({ workTree }) => workTree === place.repo) ?? [];
    for (const runId of new Set(left.map(({ runId }) => runId))) {
      await endRunProcesses(runId, { graceMs: 0 });
    }
    await place.remove();
  }
}
