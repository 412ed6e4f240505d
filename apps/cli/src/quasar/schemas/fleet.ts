import { surroundings } from "../../shared/schemas/doctor.ts";
import * as v from "valibot";
import { errorLine } from "../../shared/schemas/error-line.ts";
import { flag, list, object, text, whole, word } from "../../shared/schemas/kinds.ts";
import { line, type Printed, result, timedLine } from "../../shared/schemas/line.ts";
import { BILL } from "./spending.ts";

const keyPath = text("The file of the fleet's key: each machine needs a copy of it");

export const fleetUpLine = line("fleet_up", "Where the fleet is, as soon as it takes calls", {
  url: text("What workers and other commands are given as --fleet"),
  admin: text("The server's admin port"),
  dir: text("Where its data is"),
  log: text("What the server itself prints"),
  keyPath,
});

export const fleetServeLine = line("fleet_serve", "Where the server calls it", {
  url: text("What is registered at the server"),
  isRegistered: flag("Whether it was, at --admin"),
  keyPath,
});

const holder = object(
  {
    phase: text("The ref of the phase; @lane: it decides what lands"),
    machine: text("Where it is worked on"),
    worker: text("The process there"),
    epoch: whole("How many workers have had this phase by now"),
  },
  "A worker that has a phase",
);

const nebula = object(
  {
    id: text("Its id"),
    name: text("Its name"),
    depot: text("The repository over which its commits go; empty: none"),
    isFinished: flag("Whether nothing happens to it any more by itself"),
    holders: list(holder, "Who works on what; of an unfinished one"),
  },
  "A nebula of the fleet",
);

export const fleetStatusLine = result("fleet_status", "The nebulae of a fleet", {
  url: text("Of the server"),
  nebulae: list(nebula, "Unfinished ones first"),
});

export const fleetDoctorLine = result("fleet_doctor", "What was found of a fleet from here", {
  findings: surroundings,
});

export const depotInitLine = result(
  "depot_init",
  "The repository over which machines exchange work",
  {
    depot: text("Its path"),
    isNew: flag("Whether it was made just now"),
  },
);

export const nebulaSubmitLine = result("nebula_submit", "A nebula was given to a fleet", {
  nebulaId: text("Its id"),
  nebula: text("Its name"),
  branch: text("Where it lands, at the depot"),
  url: text("Of the server"),
  depot: text("Over which its commits go"),
  maxWorkers: v.optional(
    whole("How many phases are worked on at once; left out: as many as workers take"),
  ),
});

const fleetPhase = object(
  {
    phaseId: text("Its id in the nebula"),
    status: text("Where it is"),
    attempt: whole("From 1"),
    reason: text("Why it waits or has failed"),
    machine: text("Who works on it; empty: nobody"),
    ...BILL,
  },
  "A phase",
);

export const fleetNebulaLine = result("fleet_nebula", "How a nebula of a fleet stands", {
  nebulaId: text("Its id"),
  nebula: text("Its name"),
  branch: text("Where it lands, at the depot"),
  isPaused: flag("Whether no turn begins"),
  stops: v.optional(word(["now", "after-turns"], "Whether a person has asked all to end, and how")),
  reason: text("Why nothing begins; empty: nothing is in the way"),
  phases: list(fleetPhase, "In the order of the plan"),
  ...BILL,
});

export const nebulaFetchLine = result("nebula_fetch", "The branch of a nebula was brought here", {
  nebulaId: text("Its id"),
  nebula: text("Its name"),
  branch: text("Its branch, here too"),
  tipSha: text("The commit that it is at"),
});

export const workerLine = timedLine("worker", "What a worker does", {
  what: word(
    ["takes", "leaves", "event", "warning", "away", "back"],
    "Work begins, ends, or something happens; away: the server or a depot is out of reach",
  ),
  nebulaId: text("The nebula; empty: none of them"),
  nebula: text("Its name"),
  work: text("The ref of the phase; @lane: what lands; empty: neither"),
  phaseId: text("Its id in the nebula; empty: none is meant"),
  message: text("In words; of an event its type, as quasar nebula log --json has it"),
});

export const WORKER_LINES = [workerLine, errorLine] as const;

export type WorkerLine = Printed<typeof workerLine>;
export type DepotInitLine = Printed<typeof depotInitLine>;
export type NebulaSubmitLine = Printed<typeof nebulaSubmitLine>;
export type FleetNebulaLine = Printed<typeof fleetNebulaLine>;
export type NebulaFetchLine = Printed<typeof nebulaFetchLine>;
export type FleetUpLine = Printed<typeof fleetUpLine>;
export type FleetServeLine = Printed<typeof fleetServeLine>;
export type FleetStatusLine = Printed<typeof fleetStatusLine>;
export type FleetDoctorLine = Printed<typeof fleetDoctorLine>;
