import type { Ending } from "../ending.ts";

/** Git is not run with what has changed. */
export class ControlsChanged extends Error {
  override readonly name = "ControlsChanged";
}

/** The end of a run in which that was found. */
export function controlsEnding(message: string): Ending {
  return {
    outcome: "work-tree",
    message,
    wayBack: { steps: [LOOK], accepts: [], asItIs: ["accept-settings"] },
  };
}

const LOOK = "git config --list --show-origin   # and the hooks: put back what you do not want";
