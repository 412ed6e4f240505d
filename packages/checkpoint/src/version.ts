import { CHECKPOINT_VERSION } from "./checkpoint.ts";
import { CheckpointError } from "./errors.ts";

/**
 * Throws unless this package reads and writes the version.
 *
 * @throws {CheckpointError} `ERR_INVALID_CHECKPOINT`, `ERR_INCOMPATIBLE_VERSION`
 */
export function checkVersion(version: unknown): void {
  if (!Number.isSafeInteger(version)) {
    const message = "not a checkpoint: version is not a whole number";
    throw new CheckpointError("ERR_INVALID_CHECKPOINT", message);
  }
  if (version !== CHECKPOINT_VERSION) throw incompatible(Number(version));
}

export function incompatible(version: number): CheckpointError {
  const age = version > CHECKPOINT_VERSION ? "a newer Quasar" : "an older one";
  const message = `version ${version} is not supported: it is of ${age}, this one reads ${CHECKPOINT_VERSION}`;
  return new CheckpointError("ERR_INCOMPATIBLE_VERSION", message);
}
