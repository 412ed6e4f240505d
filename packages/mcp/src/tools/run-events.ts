import * as z from "zod/v4";
import { readAny } from "../places/read.ts";
import { anyId } from "./inputs.ts";
import { tool } from "./tool.ts";

const MOST = 100;

export const runEvents = tool({
  name: "run_events",
  title: "Events of a run or nebula",
  description: `What has happened to a run or nebula, oldest first, ${MOST} at a time: call again with from set to next.`,
  input: z.strictObject({
    id: anyId,
    from: z.int().min(0).max(10_000_000).default(0).describe("How many to pass over"),
  }),
  async call({ id, from }, context) {
    const { kind, facts } = await readAny(context, id);
    const events = facts.events.slice(from, from + MOST);
    const next = from + events.length;
    return {
      origin: `${kind} ${id}`,
      facts: { events, from, next, isMore: next < facts.events.length },
    };
  },
});
