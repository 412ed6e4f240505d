import type { AgentInvoker, AgentRequest, AgentRole } from "@quasar/agents";
import { foreignGitEnv } from "@quasar/git";
import { type RunKind, LOOP } from "../run-kind.ts";
import { conventionsNote } from "../repository/conventions.ts";
import type { CycleState } from "../state.ts";
import { isPending, ROLES, type TurnPhase } from "../transitions.ts";
import { FRESH, promptFor, type Start, systemPrompt } from "../turn/prompts.ts";
import { nextTurnId } from "../turn/turn-id.ts";
import { type Bounds, boundFor, neededBudget } from "./money.ts";
import { rolesAhead } from "./to-come.ts";

/** Who can say what a response may cost. */
export type BoundedAgents = Readonly<
  Record<
    AgentRole,
    Pick<AgentInvoker, "responseBoundUsd"> & {
      readonly capabilities: Pick<AgentInvoker["capabilities"], "resumesSession">;
    }
  >
>;

/** The agents, and what makes their requests longer or shorter. */
export interface Asking extends BoundedAgents {
  /** @default "" */
  readonly workTree?: string | undefined;
  /** @default none */
  readonly conventions?: string | undefined;
  /** @default none */
  readonly projectContext?: string | undefined;
  /** @default a loop */
  readonly runKind?: RunKind | undefined;
}

/** A turn that may spend too little, and what it would have to be allowed. */
export interface RefusedTurn {
  readonly role: AgentRole;
  readonly leastUsd: number;
}

/** What a response of the next turn of a phase may cost: one that is taken again continues its session. */
export function nextBound(state: CycleState, phase: TurnPhase, asking: Asking): number | undefined {
  const request = requestOf(state, phase, asking);
  return asking[ROLES[phase]].responseBoundUsd?.(request);
}

/** What a response of the next turn of each role may cost. */
export function boundsOf(state: CycleState, asking: Asking): Bounds {
  const coding = state.phase === "linting" ? "linting" : "coding";
  return {
    coder: nextBound(state, coding, asking),
    reviewer: nextBound(state, "reviewing", asking),
  };
}

/**
 * The budget with which the turns up to the cycle's end get through, in US dollars; 0 where they need no larger
 * one.
 *
 * @param refused - What is next, and was not started. @default what the state says
 */
export function budgetToContinue(state: CycleState, asking: Asking, refused?: RefusedTurn): number {
  if (state.maxBudgetUsd === 0) return 0;
  const ahead = rolesAhead(state, asking.runKind ?? LOOP);
  const isFirst = refused === undefined || ahead[0] === refused.role;
  const roles = isFirst ? ahead : [refused.role, ...ahead];
  const needed = neededBudget(state, roles, withRefused(boundsOf(state, asking), refused));
  return needed > state.maxBudgetUsd ? needed : 0;
}

function withRefused(bounds: Bounds, refused: RefusedTurn | undefined): Bounds {
  if (refused === undefined) return bounds;
  const { role, leastUsd } = refused;
  return { ...bounds, [role]: Math.max(bounds[role] ?? 0, boundFor(leastUsd)) };
}

/** How the next turn of a phase starts, as far as its state says. */
function nextStart(state: CycleState, phase: TurnPhase, asking: Asking): Start {
  const { turn } = state;
  const isAgain = phase === state.phase && isPending(state) && turn?.status === "started";
  if (!isAgain) return FRESH;
  const { attempt, sessionId } = turn;
  const resumes = asking[ROLES[phase]].capabilities.resumesSession;
  return { ...FRESH, attempt: attempt + 1, sessionId: resumes ? sessionId : "" };
}

/** What the turn would be asked, as far as its length goes. */
function requestOf(state: CycleState, phase: TurnPhase, asking: Asking): AgentRequest {
  const { workTree = "", conventions = "", projectContext, runKind = LOOP } = asking;
  const role = ROLES[phase];
  const start = nextStart(state, phase, asking);
  const { sessionId } = start;
  const prompt = promptFor(state, phase, start, runKind);
  return {
    runId: state.runId,
    turnId: nextTurnId(state),
    role,
    prompt: sessionId === "" ? `${prompt}${conventionsNote(conventions)}` : prompt,
    env: foreignGitEnv(process.env),
    systemPrompt: systemPrompt(role, { projectContext, runKind, commitStyle: state.commitStyle }),
    workTree,
    access: role === "coder" ? "write" : "read",
    sessionId: sessionId === "" ? undefined : sessionId,
    resumesSession: sessionId !== "",
  };
}
