import * as v from "valibot";

/** What is kept with a turn: by what its lines are read. */
export interface AcpContext {
  readonly protocol: "acp";
  readonly titleIsCommand: boolean;
  /** What its session had cost before, in US dollars; `undefined`: not known. */
  readonly beforeUsd?: number | undefined;
}

const Context = v.object({
  protocol: v.literal("acp"),
  titleIsCommand: v.boolean(),
  beforeUsd: v.optional(v.pipe(v.number(), v.minValue(0))),
});

/** `undefined`: the turn is of an agent of another kind. */
export function acpContextOf(context: unknown): AcpContext | undefined {
  const parsed = v.safeParse(Context, context);
  return parsed.success ? parsed.output : undefined;
}
