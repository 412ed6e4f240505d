/**
 * The supervisor of a turn, a program of its own, for agents that are given their input at once. Without
 * dependencies: it starts in no time.
 */
import { runSupervisor } from "./supervise.ts";

runSupervisor();
