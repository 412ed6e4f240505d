import { surroundings } from "../../shared/schemas/doctor.ts";
import { flag, list, object, text, whole } from "../../shared/schemas/kinds.ts";
import { line, type Printed, result } from "../../shared/schemas/line.ts";

const keyFile = text("The file of the fleet's key: each machine needs a copy of it");

export const fleetUpLine = line("fleet_up", "Where the fleet is, as soon as it takes calls", {
  url: text("What workers and other commands are given as --fleet"),
  admin: text("The server's admin port"),
  dir: text("Where its data is"),
  log: text("What the server itself prints"),
  keyFile,
});

export const fleetServeLine = line("fleet_serve", "Where the server calls it", {
  url: text("What is registered at the server"),
  isRegistered: flag("Whether it was, at --admin"),
  keyFile,
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
    isUnfinished: flag("Whether there is something to do still"),
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

export type FleetUpLine = Printed<typeof fleetUpLine>;
export type FleetServeLine = Printed<typeof fleetServeLine>;
export type FleetStatusLine = Printed<typeof fleetStatusLine>;
export type FleetDoctorLine = Printed<typeof fleetDoctorLine>;
