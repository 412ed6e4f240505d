import * as v from "valibot";
import type { GeminiBefore } from "./gemini-cost.ts";

/** What is kept with a turn: by what its lines are read. */
export interface AcpContext {
  readonly protocol: "acp";
  readonly titleIsCommand: boolean;
  /** What its session had cost before, in US dollars; `undefined`: not known. */
  readonly beforeUsd?: number | undefined;
  /** Of an agent that keeps records as Gemini CLI does. */
  readonly before?: GeminiBefore | undefined;
}

const count = v.pipe(v.number(), v.minValue(0));

const Context = v.object({
  protocol: v.literal("acp"),
  titleIsCommand: v.boolean(),
  beforeUsd: v.optional(count),
  before: v.optional(v.object({ responses: v.optional(count), firstPrompt: count })),
});

/** `undefined`: the turn is of an agent of another kind. */
export function acpContextOf(context: unknown): AcpContext | undefined {
  const parsed = v.safeParse(Context, context);
  return parsed.success ? parsed.output : undefined;
}
