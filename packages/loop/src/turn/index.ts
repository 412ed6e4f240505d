/** One turn of an agent by itself, and what a checkpoint says of its last one. */
export type { TurnKind } from "../run-kind.ts";
export { resumeTurn, runTurn } from "../loop.ts";
export { turnAllowance } from "../money/money.ts";
export type { TurnOptions } from "../options.ts";
export { giveUpTurn } from "./give-up.ts";
export { isAgentAlive, isTurnOpen } from "./turn-process.ts";
