export { CHANCE, chanceOf } from "./chance.ts";
export { TortureError } from "./errors.ts";
export { formatKill, type Kill, KILL_KINDS, parseKill } from "./kill.ts";
export { type Command, endOf, type Life } from "./life.ts";
export { type Fixture, makeScratch, type Place } from "./place.ts";
export { isAtWork, processesOf } from "./processes.ts";
export { torture, type Tortured, type TortureOptions } from "./torture.ts";
export { compareFacts, type Deviation, type Facts, type Next, type Subject } from "./trial.ts";
export type { Clock, KillKind } from "./watcher.ts";
