import * as v from "valibot";

// Shapes of single values. Each says what it means, with its unit.

export const text = (what: string) => v.pipe(v.string(), v.description(what));

export const flag = (what: string) => v.pipe(v.boolean(), v.description(what));

export const whole = (what: string) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), v.description(what));

export const usd = (what: string) =>
  v.pipe(v.number(), v.minValue(0), v.description(`US dollars. ${what}`));

export const milliseconds = (what: string) =>
  v.pipe(v.number(), v.minValue(0), v.description(`Milliseconds. ${what}`));

const TIME = v.pipe(v.string(), v.isoTimestamp());

export const time = (what: string) =>
  v.pipe(v.string(), v.isoTimestamp(), v.description(`RFC 3339. ${what}`));

export const timeOrNone = (what: string) =>
  v.pipe(
    v.union([TIME, v.literal("")]),
    v.description(`RFC 3339. ${what}; "" where there is none`),
  );

export const day = (what: string) =>
  v.pipe(v.string(), v.isoDate(), v.description(`ISO 8601. ${what}`));

export const sha = (what: string) =>
  v.pipe(v.string(), v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/), v.description(what));

export const shaOrNone = (what: string) =>
  v.pipe(
    v.string(),
    v.regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})?$/),
    v.description(`${what}; "" where there is none`),
  );

export const runId = (what: string = "The run") =>
  v.pipe(v.string(), v.regex(/^\d{8}-\d{6}-[0-9a-f]{6}$/), v.description(what));

export const texts = (what: string) => v.pipe(v.array(v.string()), v.description(what));

export const steps = () =>
  texts(
    "What the user can type or do next, most likely first: command lines, some with a remark behind #",
  );

export const word = <const T extends readonly string[]>(words: T, what: string) =>
  v.pipe(v.picklist(words), v.description(what));

export const object = <E extends v.ObjectEntries>(entries: E, what: string) =>
  v.pipe(v.object(entries), v.description(what));

export const record = <S extends v.GenericSchema>(item: S, what: string) =>
  v.pipe(v.record(v.string(), item), v.description(what));

export const list = <S extends v.GenericSchema>(item: S, what: string) =>
  v.pipe(v.array(item), v.description(what));
