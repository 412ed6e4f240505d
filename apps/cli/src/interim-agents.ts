import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { AgentInvoker } from "@quasar/loop";
export interface ScriptedTurn {
  role: "coder" | "reviewer";
  match?: string;
  text: string;
  files?: Record<string, string>;
  says?: string[];
  costUsd?: number;
  delayMs?: number;
}
export async function findRunProcesses(_runId: string): Promise<readonly number[] | undefined> {
  return [];
}
export async function endRunProcesses(
  _runId: string,
  _o: object,
): Promise<{ left: readonly number[] } | undefined> {
  return { left: [] };
}
export function createScriptedAgent({ turns }: { turns: readonly ScriptedTurn[] }): AgentInvoker {
  return {
    name: "scripted",
    capabilities: {
      structuredOutput: false,
      choosesSessionId: false,
      reportsCost: true,
      streamsUsage: true,
    },
    async invoke(request, options = {}) {
      const start = performance.now();
      const turn = turns.find(
        (t) => t.role === request.role && new RegExp(t.match ?? "", "s").test(request.prompt),
      );
      if (!turn)
        return {
          text: "",
          costSource: "unknown",
          durationMs: 0,
          failure: { kind: "unknown", message: "no turn", retryable: false },
        };
      const says = turn.says ?? [];
      try {
        for (const say of says) {
          options.onEvent?.({ type: "text", text: say });
          await sleep((turn.delayMs ?? 0) / says.length, undefined, { signal: options.signal });
          options.onEvent?.({ type: "usage", costUsd: (turn.costUsd ?? 0) / 2 });
        }
        if (says.length === 0)
          await sleep(turn.delayMs ?? 0, undefined, { signal: options.signal });
      } catch {
        return {
          text: "",
          costSource: "partial",
          costUsd: 0,
          durationMs: 1,
          failure: { kind: "cancelled", message: "cancelled", retryable: true },
        };
      }
      for (const [name, text] of Object.entries(turn.files ?? {})) {
        mkdirSync(dirname(join(request.workDir, name)), { recursive: true });
        writeFileSync(join(request.workDir, name), text);
      }
      return {
        text: turn.text,
        costSource: "reported",
        costUsd: turn.costUsd ?? 0,
        durationMs: performance.now() - start,
      };
    },
  };
}
