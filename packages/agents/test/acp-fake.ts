import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect } from "vitest";
import { type AcpAgentOptions, createAcpAgent } from "../src/acp.ts";
import type { AgentInvoker, AgentRequest } from "../src/agent.ts";
import type { AcpScript, AcpStep } from "./acp-agent.ts";
import { aDirectory, aRequest } from "./request.ts";

const FILE = fileURLToPath(new URL("acp-agent.ts", import.meta.url));

/** A message that a fake agent was told. */
export interface Told {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
  readonly isKept?: boolean;
}

export interface Fake {
  readonly agent: AgentInvoker;
  readonly args: readonly string[];
  readonly told: () => readonly Told[];
  /** What was asked of it, in all its lives. */
  readonly methods: () => readonly string[];
}

export const DONE: AcpStep = { do: "end", result: { stopReason: "end_turn" } };

export function aFake(
  steps: readonly AcpStep[],
  script: Partial<AcpScript> = {},
  options: Partial<AcpAgentOptions> = {},
): Fake {
  const dir = aDirectory();
  const log = join(dir, "log");
  const whole: AcpScript = { log, sessions: join(dir, "sessions"), steps, ...script };
  const args = [FILE, JSON.stringify(whole)];
  const fake = { name: "fake", title: "The fake", file: process.execPath, args };
  const agent = createAcpAgent({ ...fake, ...options } as AcpAgentOptions);
  const told = (): readonly Told[] => {
    const lines = existsSync(log) ? readFileSync(log, "utf8").trim().split("\n") : [];
    return lines.map((line) => JSON.parse(line) as Told);
  };
  return { agent, args, told, methods: () => told().flatMap(({ method }) => method ?? []) };
}

export const aTurn = (change: Partial<AgentRequest> = {}): AgentRequest =>
  aRequest({ turnsDir: join(aDirectory(), "turns"), ...change });

export const outPath = ({ turnsDir = "" }: AgentRequest): string => join(turnsDir, "1.out");

export const outOf = (request: AgentRequest): string =>
  existsSync(outPath(request)) ? readFileSync(outPath(request), "utf8") : "";

/** Waits until something has been kept of a turn. */
export async function untilKept(request: AgentRequest, text: string): Promise<void> {
  await expect.poll(() => outOf(request), { timeout: 30_000 }).toContain(text);
}
