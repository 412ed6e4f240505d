import type { Scene } from "./scene.ts";

/** What some adapters have and others cannot. */
export type Feature =
  /** The lane is lost without a renewal, and not only with its process. */
  | "lane-expires"
  /** Leases outlive a restart. */
  | "leases-survive";

export interface Case {
  /** It completes "the port …". */
  readonly name: string;
  /** What an adapter needs for it. @default nothing */
  readonly needs?: Feature;
  readonly run: (scene: Scene) => Promise<void>;
}
