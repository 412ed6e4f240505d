export * from "./checkpoint.ts";
export * from "./phases.ts";
export type * from "./store.ts";
