import { followItems, type FollowOptions } from "@quasar/runs/internal";
import { eventsIn } from "./events.ts";
import { nebulaHome } from "./home.ts";
import { engineOf } from "./lock.ts";
import type { KeptEvent } from "./recent-events.ts";

/**
 * What has happened to a nebula, oldest first, as far as its journal holds; with `follow` until no engine works on it.
 *
 * @param commonDir - The git folder that all work trees share.
 */
export function followEvents(
  commonDir: string,
  id: string,
  options: FollowOptions = {},
): AsyncGenerator<KeptEvent, undefined> {
  const home = nebulaHome(commonDir, id);
  return followItems(
    {
      grows: () => engineOf(home) !== undefined,
      read: () => ({ items: eventsIn(home), end: undefined }),
    },
    options,
  );
}
