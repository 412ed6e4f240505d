import * as z from "zod/v4";

const id = (what: string) => z.string().min(1).max(64).describe(what);

/** Ids that a caller may give: longer ones are none. */
export const runId = id("Id of a run, as run_list gives it: 20261121-101500-7f3a9c");
export const anyId = id("Id of a run or of a nebula, as run_list gives it");
export const nebulaId = id("Id of a nebula, as run_list gives it");

/** Of an input that has nothing but an id. */
export const ofRun = z.strictObject({ id: runId });
export const ofAny = z.strictObject({ id: anyId });
export const ofNebula = z.strictObject({ id: nebulaId });
