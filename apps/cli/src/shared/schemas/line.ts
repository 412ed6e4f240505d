import * as v from "valibot";
import type { JSON_VERSION } from "../output/json.ts";
import { steps, time, whole } from "./kinds.ts";

const VERSION: typeof JSON_VERSION = 1;

/** A line of `--json`: what all lines have, and what those of this type have beside it. */
export const line = <const T extends string, E extends v.ObjectEntries>(
  type: T,
  what: string,
  entries: E,
) =>
  v.pipe(
    v.object({
      v: v.pipe(v.literal(VERSION), v.description("The version of all lines")),
      type: v.literal(type),
      ...entries,
    }),
    v.description(what),
  );

/** The one line of a command that says what came of it, and what is next. */
export const result = <const T extends string, E extends v.ObjectEntries>(
  type: T,
  what: string,
  entries: E,
) =>
  line(type, what, {
    ...entries,
    exit: whole("The exit code, which the README lists"),
    next: steps(),
  });

/** A line of a command that prints as it works: it has its time. */
export const timedLine = <const T extends string, E extends v.ObjectEntries>(
  type: T,
  what: string,
  entries: E,
) => line(type, what, { time: time("When it was printed"), ...entries });

/** A line's schema. */
export type LineSchema = v.GenericSchema & {
  readonly entries: { readonly type: v.LiteralSchema<string, undefined> };
};

type Deep<T> = T extends object ? { readonly [Key in keyof T]: Deep<T[Key]> } : T;

/** What is printed by a schema, as the code has it that prints it. */
export type Printed<S extends v.GenericSchema> = Deep<v.InferOutput<S>>;

/** What a program prints: by the command, with what `--json` is typed after, the lines that there may be. */
export type LinesOf = Readonly<Record<string, readonly LineSchema[]>>;

/** The same with more keys. */
export const withKeys = <
  S extends v.GenericSchema & { readonly entries: v.ObjectEntries },
  const More extends v.ObjectEntries,
>(
  schema: S,
  more: More,
) =>
  v.pipe(
    v.object({ ...schema.entries, ...more } as S["entries"] & More),
    v.description(v.getDescription(schema) ?? ""),
  );

/** An event, from which a line is made. */
export type EventSchema = v.GenericSchema & {
  readonly entries: v.ObjectEntries & LineSchema["entries"];
};

type LineOfEvent<E extends EventSchema, More extends v.ObjectEntries> = v.ObjectSchema<
  E["entries"] & More & { readonly v: v.LiteralSchema<typeof VERSION, undefined> },
  undefined
>;

/** A line for each event, with what all of them have beside it. */
export const linesOf = <const E extends readonly EventSchema[], More extends v.ObjectEntries>(
  events: E,
  more: More,
) =>
  events.map((event) =>
    line(event.entries.type.literal, v.getDescription(event) ?? "", { ...event.entries, ...more }),
  ) as unknown as { readonly [Key in keyof E]: LineOfEvent<E[Key], More> };

/** What is reported, as the reporter prints it. */
export type Timed<Record> = Record extends object
  ? Record & { readonly v: typeof VERSION; readonly time: string }
  : never;

/** Does not compile where what is printed is not what its schema says. */
export type Described<Line, What extends Line> = What;
