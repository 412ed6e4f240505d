import type { Resolved } from "@quasar/nebula/port";

/** Why an answer was not taken. */
export const UNRESOLVED = {
  already: "it was answered before, and that answer stays",
  closed: "nobody is asked that any more, or it is being landed just now",
} as const satisfies Record<Exclude<Resolved["as"], "resolved">, string>;
