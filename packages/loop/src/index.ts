export type * from "./agent.ts";
export * from "./event.ts";
export type * from "./finding.ts";
export type * from "./options.ts";
export type * from "./review.ts";
export type * from "./state.ts";
