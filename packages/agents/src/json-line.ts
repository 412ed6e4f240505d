import * as v from "valibot";

/** A line of an agent's output as what the schema describes; `undefined` for noise. */
export function parseLine<S extends v.GenericSchema>(
  schema: S,
  line: string,
): v.InferOutput<S> | undefined {
  if (!line.startsWith("{")) {
    return undefined;
  }
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch (error) {
    if (error instanceof SyntaxError) {
      return undefined;
    }
    throw error;
  }
  const parsed = v.safeParse(schema, value);
  return parsed.success ? parsed.output : undefined;
}
