import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentEvent, AgentRequest } from "../src/agent.ts";
import { expect, onTestFinished } from "vitest";

/** A directory that is gone after the test. */
export function aDirectory(): string {
  const dir = mkdtempSync(join(tmpdir(), "quasar-agents-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

let runs = 0;

/** A valid request in a directory of its own, but for what a test changes. */
export function aRequest(change: Partial<AgentRequest> = {}): AgentRequest {
  const runId = change.runId ?? `run-${process.pid}-${++runs}`;
  return {
    runId,
    turnId: `${runId}.1`,
    role: "coder",
    prompt: "Say hello.",
    systemPrompt: "You are a coder.",
    workTree: change.workTree ?? aDirectory(),
    access: "write",
    ...change,
  };
}

/** Collects events. */
export function aListener(): { events: AgentEvent[]; onEvent: (event: AgentEvent) => void } {
  const events: AgentEvent[] = [];
  return { events, onEvent: (event) => events.push(event) };
}

/** Matches any text that has this one in it. */
export const containing = (text: string): unknown => expect.stringContaining(text);
