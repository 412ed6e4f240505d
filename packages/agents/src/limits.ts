import type { AgentRequest } from "./agent.ts";
import type { AgentProcessOptions } from "./agent-process.ts";
import type { StopReason } from "./child.ts";
import { tokenLimit } from "./prices.ts";

/** What a turn may use while it works: data, as it goes to another process. */
export interface TurnLimits {
  /** US dollars. @default no limit */
  readonly maxCostUsd?: number | undefined;
  /** Responses of the model. @default no limit */
  readonly maxRequests?: number | undefined;
}

/** What holds a turn, by what asks for it and who takes it. */
export const turnLimits = (
  { maxCostUsd }: Pick<AgentRequest, "maxCostUsd">,
  { maxRequests }: Pick<AgentProcessOptions, "maxRequests">,
): TurnLimits => ({ maxCostUsd, maxRequests });

/** Whether there is anything that the turn is held to. */
export const isLimited = ({ maxCostUsd, maxRequests }: TurnLimits): boolean =>
  maxCostUsd !== undefined || maxRequests !== undefined;

/** What a turn has used by the time when it asks for more. */
export interface TurnUse {
  /** US dollars, of models with a price. */
  readonly costUsd: number;
  /** Of models without one. */
  readonly unpricedTokens: number;
  readonly requests: number;
}

/** Why a turn that asks for more is to be stopped. */
export function reasonToStop(use: TurnUse, limits: TurnLimits): StopReason | undefined {
  const { maxCostUsd, maxRequests } = limits;
  if (maxRequests !== undefined && use.requests > maxRequests) return "requests";
  if (maxCostUsd === undefined) return undefined;
  const isOver = use.costUsd > maxCostUsd || use.unpricedTokens > tokenLimit(maxCostUsd);
  return isOver ? "budget" : undefined;
}
