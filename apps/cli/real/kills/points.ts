import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
// @boundaries-ignore what the model stub of the real agents answers
import type { ModelTurn } from "../../../../packages/agents/real/model-answer.ts";
// @boundaries-ignore what it is asked
import type { ModelRequest } from "../../../../packages/agents/real/model-request.ts";
import { type FirstTaskPlace, turnOf } from "../first-task.ts";
import { HELD, WAITING } from "./project.ts";
import { isThere, type TurnProcesses } from "./processes.ts";
import type { Point } from "./table.ts";

/** A run in which a turn comes to a point. */
export interface Scene {
  readonly place: FirstTaskPlace;
  readonly turn: string;
  /** Who works for the turn now; `undefined` before there is an agent. */
  processes(): TurnProcesses | undefined;
  /** Called when the point is reached, at once. */
  reach(processes: TurnProcesses): void;
  /** Resolves when the kill is over, and what waits for it continues. */
  readonly over: Promise<void>;
}

/** How a run is brought to each point. */
export const ARRIVALS: Readonly<Record<Point, (scene: Scene) => void>> = {
  started(scene) {
    void poll(scene.processes).then(scene.reach);
  },
  asked(scene) {
    onAnswer(scene, isFirst, (answer, processes) => {
      scene.reach(processes);
      return { ...answer, after: scene.over };
    });
  },
  answering(scene) {
    onAnswer(scene, isFirst, (answer, processes) => ({
      // Two events at least, of all APIs.
      text: "I begin.",
      ...answer,
      async halfway() {
        await sleep(ARRIVES_MS);
        scene.reach(processes);
        await scene.over;
      },
    }));
  },
  tool(scene) {
    const at = (name: string): string => join(scene.place.repo, name);
    onAnswer(scene, isFirst, (answer, processes) => {
      writeFileSync(at(HELD), "");
      void poll(() => existsSync(at(WAITING)) || undefined).then(() => scene.reach(processes));
      return answer;
    });
  },
  answered(scene) {
    onAnswer(scene, isLast, (answer, processes) => ({
      ...answer,
      sent: () => scene.reach(processes),
    }));
  },
  ended(scene) {
    onAnswer(scene, isLast, (answer, processes) => {
      const { runner, agent } = processes;
      return {
        ...answer,
        sent() {
          process.kill(runner.pid, "SIGSTOP");
          void poll(() => !isThere(agent) || undefined).then(() => scene.reach(processes));
        },
      };
    });
  },
};

/** What has been sent is in the agent by then, in milliseconds. */
const ARRIVES_MS = 300;
/** How exactly a moment is met, in milliseconds. */
const LOOK_MS = 2;

async function poll<T>(look: () => T | undefined): Promise<T> {
  for (;;) {
    const found = look();
    if (found !== undefined) return found;
    await sleep(LOOK_MS);
  }
}

const isFirst = ({ step }: ModelRequest): boolean => step === 0;
const isLast = (_: ModelRequest, { shell, write }: ModelTurn): boolean =>
  shell === undefined && write === undefined;

/** Changes an answer of the scene's turn, once. */
function onAnswer(
  { place, turn, processes }: Scene,
  isMeant: (request: ModelRequest, answer: ModelTurn) => boolean,
  change: (answer: ModelTurn, processes: TurnProcesses) => ModelTurn,
): void {
  const { stub } = place;
  const script = stub.script;
  stub.script = (request) => {
    const answer = script(request);
    if ("kind" in answer || turnOf(request) !== turn || !isMeant(request, answer)) return answer;
    const now = processes();
    if (now === undefined) throw new Error(`nobody works for ${turn}, and the model is asked`);
    stub.script = script;
    return change(answer, now);
  };
}
