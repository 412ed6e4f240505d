import type { AgentFailureKind } from "./agent.ts";

/** Which failure a text means: the first row that fits decides. */
export type Prose = readonly (readonly [pattern: RegExp, kind: AgentFailureKind])[];

export function kindOfProse(prose: Prose, text: string): AgentFailureKind | undefined {
  return prose.find(([pattern]) => pattern.test(text))?.[1];
}

const STATUSES: Readonly<Record<number, AgentFailureKind>> = {
  400: "usage",
  401: "auth",
  402: "billing",
  403: "auth",
  404: "usage",
  408: "network",
  413: "prompt-too-large",
  429: "rate-limit",
};

/** Which failure an HTTP status of a model API means. */
export function kindOfStatus(status: number): AgentFailureKind | undefined {
  return STATUSES[status] ?? (status >= 500 && status < 600 ? "overloaded" : undefined);
}
