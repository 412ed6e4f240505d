import { join } from "node:path";
import * as v from "valibot";
import type { NebulaHome } from "../state/home.ts";
import { leaveNote, type Note, waitingNotes } from "./notes.ts";

/** Most characters of what a person calls a commit. */
export const MOST_NAME = 1024;

/** What a person asks of the engine that works on a nebula. */
const requestSchema = v.variant("kind", [
  v.object({
    kind: v.literal("update"),
    /** Of the copy of the nebula's folder as it is now. */
    revision: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/u)),
  }),
  v.object({
    kind: v.literal("base"),
    /** The commit that is merged into the nebula's branch, and what a person calls it. */
    commit: v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/u)),
    name: v.pipe(v.string(), v.maxLength(MOST_NAME)),
    /** Whether agents rework it where it cannot land. */
    withAgent: v.boolean(),
  }),
]);

export type Request = v.InferOutput<typeof requestSchema>;

/** Leaves a request for the engine that works on the nebula, durably. */
export function leaveRequest(home: NebulaHome, request: Request, now: Date): void {
  leaveNote(folderOf(home), request, now);
}

/** What is waiting, oldest first. */
export function waitingRequests(home: NebulaHome): readonly Note<Request>[] {
  return waitingNotes(folderOf(home), requestSchema);
}

function folderOf({ dir }: NebulaHome): string {
  return join(dir, "requests");
}
