import { lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import type { AgentInvoker, AgentRequest, AgentResult, InvokeOptions } from "@quasar/agents";
import type { UnfinishedTurn } from "@quasar/agents/turns";
import { linkOnTheWay } from "../trees/copy-files.ts";
import type { PhaseSpec } from "../spec/types.ts";
import type { TreeEnv } from "../context/ports.ts";
import type { Engine, PhaseRunOptions } from "../context/context.ts";

/** Where the agents of a phase work, and what they get beside their environment. */
interface AgentPlace {
  /** Within the work tree: `.` or a path without `..`. It is made where it is missing. */
  readonly folder: string;
  readonly env: TreeEnv;
  readonly beforeTurn: Engine["beforeTurn"];
}

/** What a phase's run works by, in its work tree. @param root - Absolute path of that. */
export async function optionsIn(
  { optionsOf, spec: nebula, portsOf, commandEnv, checkpointOf, beforeTurn }: Engine,
  spec: PhaseSpec,
  root: string,
): Promise<PhaseRunOptions> {
  const options = optionsOf(spec, nebula);
  const env = portsOf(root);
  const place = { folder: nebula.context.workingDir, env, beforeTurn };
  return {
    ...options,
    coder: placed(options.coder, place),
    reviewer: placed(options.reviewer, place),
    compatibleIn: await checkpointOf(spec.id),
    secretFiles: nebula.execution.copy,
    checkEnv: { ...(options.checkEnv ?? commandEnv), ...env },
  };
}

/** An agent that works in a folder of a work tree, with variables of that tree. Where the folder cannot be, its turn fails. */
function placed(agent: AgentInvoker, { folder, env, beforeTurn }: AgentPlace): AgentInvoker {
  const { find, adopt, end, responseBoundUsd } = agent;
  const there = (request: AgentRequest): AgentRequest => ({
    ...request,
    workTree: join(request.workTree, folder),
    env: { ...request.env, ...env },
  });
  const thereOf = (turn: UnfinishedTurn): UnfinishedTurn => ({
    ...turn,
    request: there(turn.request),
  });
  return {
    ...agent,
    async invoke(request, options = {}) {
      const problem = makeFolder(request.workTree, folder);
      if (problem !== undefined) return failed(problem);
      if (agent.capabilities.supervised !== true) {
        await beforeTurn?.();
        return agent.invoke(there(request), options);
      }
      // Of such a turn it is saved with its process that it begins.
      const onStart: InvokeOptions["onStart"] = async (process) => {
        await options.onStart?.(process);
        await beforeTurn?.();
      };
      return agent.invoke(there(request), { ...options, onStart });
    },
    ...(responseBoundUsd && {
      responseBoundUsd: (request) => responseBoundUsd.call(agent, there(request)),
    }),
    ...(find && { find: (turn) => find.call(agent, thereOf(turn)) }),
    ...(adopt && { adopt: (turn, options) => adopt.call(agent, thereOf(turn), options) }),
    ...(end && { end: (turn) => end.call(agent, thereOf(turn)) }),
  };
}

/** @returns Why agents cannot work there. */
function makeFolder(tree: string, folder: string): string | undefined {
  const link = linkOnTheWay(tree, `${folder}/.`);
  if (link !== undefined) return `working_dir ${folder}: ${link} is a link`;
  try {
    mkdirSync(join(tree, folder), { recursive: true });
  } catch {
    return `working_dir ${folder} is no folder`;
  }
  return lstatSync(join(tree, folder)).isDirectory()
    ? undefined
    : `working_dir ${folder} is no folder`;
}

function failed(message: string): AgentResult {
  const failure = { kind: "usage", message, retryable: false } as const;
  return { failure, text: "", costUsd: 0, costSource: "reported", durationMs: 0 };
}
