import { firstLine } from "@quasar/runs/text";
import type { Engine } from "../context/context.ts";
import { NebulaError } from "../errors.ts";
import { note } from "../state/report.ts";

/** Whether a work tree could not be set up. */
export function isSetUpError(error: unknown): error is NebulaError {
  return error instanceof NebulaError && error.code === "ERR_SETUP";
}

/**
 * Has a work tree set up again where that fails, as often as a verification is repeated: a registry that does not answer may
 * answer then. Each repetition is reported.
 *
 * @param phase - Whose tree it is. @default nobody's
 * @param act - Can be done again.
 * @throws {NebulaError} `ERR_SETUP` of the last time
 */
export async function repeatSetUp<T>(
  engine: Engine,
  phase: string | undefined,
  act: () => Promise<T>,
): Promise<T> {
  for (let left = engine.spec.execution.verifyRetries; ; left -= 1) {
    try {
      return await act();
    } catch (error) {
      if (!isSetUpError(error) || left === 0) throw error;
      const message = `set-up is repeated: ${firstLine(error.message)}`;
      note(engine, { type: "warning", phase, message });
    }
  }
}
