import type { System } from "./platform.ts";
import { darwin } from "./darwin.ts";
import { linux } from "./linux.ts";

/** Where nobody can know anything but whether a process id is taken. */
const elsewhere: System = {
  bootId: () => undefined,
  look: () => ({ state: "unknown" }),
  list: () => undefined,
  workTrees: () => undefined,
  contain: () => undefined,
  endContained: async () => {},
  openFiles: () => undefined,
  sync: () => ({ args: [], isDone: false }),
};

const SYSTEMS: Readonly<Partial<Record<NodeJS.Platform, System>>> = { linux, darwin };

/** The system that this process runs on. */
export const system: System = SYSTEMS[process.platform] ?? elsewhere;
