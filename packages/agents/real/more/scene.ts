import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import type { ProcessIdentity } from "@quasar/process";
import { expect, onTestFinished } from "vitest";
import type { AgentRequest, AgentResult, UnfinishedTurn } from "../../src/agent.ts";
import type { ModelTurn } from "../model-answer.ts";
import { type ModelScript, type ModelStub, startModelStub } from "../model-stub.ts";
import type { Place } from "../place.ts";

/** A place, and the model that its agents ask. */
export interface Scene {
  readonly place: Place;
  readonly stub: ModelStub;
}

/** A scene in which a command waits. */
export interface WaitingScene extends Scene {
  readonly begun: () => Promise<void>;
}

/** What scenes are made with. */
export interface ScenesOptions {
  /** Of the agent, for the ids of runs. */
  readonly name: string;
  readonly createPlace: (url: string) => Place;
  /** How the agent's model has a command run. */
  readonly runsCommand: (command: string) => ModelTurn["tool"];
  /** How long a command may take to begin, in milliseconds. */
  readonly beginsWithinMs: number;
}

const WAITS = { "wait.sh": "touch ../begun; until [ -e ../go ]; do sleep 0.1; done\n" };
/** What an agent is allowed in a scene that waits. */
export const COMMANDS = ["sh wait.sh"];

/** What the two responses of a scene that waits are billed for, in tokens. */
export const WAITED = [
  { input: 1000, output: 300 },
  { input: 1234, output: 56 },
] as const;

/** Ends the waiting. */
export const go = ({ root }: Place): void => writeFileSync(join(root, "go"), "");

export function scenesOf({ name, createPlace, runsCommand, beginsWithinMs }: ScenesOptions) {
  let runs = 0;
  const aScene = async (script: (place: Place) => ModelScript): Promise<Scene> => {
    const stub = await startModelStub(() => ({ text: "" }));
    const place = createPlace(stub.url);
    stub.script = script(place);
    onTestFinished(async () => {
      await stub.close();
      place.remove();
    });
    return { place, stub };
  };
  return {
    aScene,
    /** One whose model has a command run that waits, and is done. */
    async aWaitingScene(): Promise<WaitingScene> {
      const scene = await aScene(
        () =>
          ({ step, prompt }) =>
            step === 0 && !prompt.includes("Continue")
              ? { tool: runsCommand("sh wait.sh"), usage: WAITED[0] }
              : { text: "Done.", usage: WAITED[1] },
      );
      commit(scene.place, WAITS);
      const path = join(scene.place.root, "begun");
      const begun = async (): Promise<void> => {
        await expect.poll(() => existsSync(path), { timeout: beginsWithinMs }).toBe(true);
      };
      return { ...scene, begun };
    },
    aTurn({ root, workTree }: Place, change: Partial<AgentRequest> = {}): AgentRequest {
      const runId = change.runId ?? `${name}-${process.pid}-${++runs}`;
      return {
        ...{ runId, turnId: `${runId}.1`, role: "coder", access: "write", workTree },
        ...{ prompt: "Write one.txt.", systemPrompt: "You are the coder.", maxCostUsd: 5 },
        turnsDir: join(root, "turns"),
        ...change,
      };
    },
    /** A place whose model answers by hand, once all of a request was read. */
    async answeredBy(
      answer: (response: ServerResponse, request: IncomingMessage) => void,
    ): Promise<{ readonly place: Place; readonly url: string }> {
      const server = createServer((request, response) => {
        request.resume();
        request.on("end", () => answer(response, request));
      });
      server.listen(0, "127.0.0.1");
      await once(server, "listening");
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const place = createPlace(url);
      onTestFinished(() => {
        server.close();
        server.closeAllConnections();
        place.remove();
      });
      return { place, url };
    },
  };
}

/** The turn after, in the same session. */
export const after = (
  turn: AgentRequest,
  { sessionId }: AgentResult,
  prompt: string,
): AgentRequest => ({
  ...turn,
  ...{ turnId: `${turn.runId}.2`, prompt, sessionId, resumesSession: true },
});

/** What a turn counts with, known or not. */
export const counted = ({ costUsd = 0, unknownUsd = 0 }: AgentResult): number =>
  costUsd + unknownUsd;

/** Puts files into a place's repository. */
export function commit({ workTree, git }: Place, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    const path = join(workTree, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  git("add", "--all", "--force");
  git("commit", "--quiet", "--message=More");
}

/** A turn whose runner was killed when its command had begun, as another process finds it. */
export async function afterRunner(
  name: string,
  { root, url }: { readonly root: string; readonly url: string },
  request: AgentRequest,
  begun: () => Promise<void>,
): Promise<UnfinishedTurn> {
  const args = [join(import.meta.dirname, "runner.ts"), name, root, url];
  const runner = spawn(process.execPath, [...args, JSON.stringify(request)], { stdio: "pipe" });
  const [owner] = (await once(runner.stdout, "data")) as [Buffer];
  await begun();
  runner.kill("SIGKILL");
  await once(runner, "exit");
  return {
    request: { ...request, prompt: "" },
    process: JSON.parse(owner.toString()) as ProcessIdentity,
  };
}

/** Kills the agent of a place's first turn. */
export function killAgent({ root }: Place): void {
  const file = readFileSync(join(root, "turns", "1.agent"), "utf8");
  process.kill((JSON.parse(file) as ProcessIdentity).pid, "SIGKILL");
}
