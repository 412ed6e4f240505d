import { randomBytes } from "node:crypto";
import { createOnce, readPrivateFile } from "@quasar/durable";
import { dirname } from "node:path";
import { cleanLine, shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";

/** Its 64 digits, and a line end. */
const MOST_BYTES = 100;

/**
 * The fleet's key; `undefined` where there is no such file.
 *
 * @throws {DurableError} `ERR_UNSAFE_MODE` where others may read it; `ERR_NOT_REGULAR`, `ERR_TOO_LARGE`
 * @throws {CliError} `ERR_CONFIG` where it holds something else
 */
export function existingKey(file: string): string | undefined {
  const bytes = readPrivateFile(file, { maxBytes: MOST_BYTES });
  if (bytes === undefined) return undefined;
  const key = Buffer.from(bytes).toString().trim();
  if (/^[0-9a-f]{64}$/u.test(key)) return key;
  const message = `${cleanLine(file)} holds no fleet key: that has 64 hex digits`;
  throw new CliError("ERR_CONFIG", message, { next: copySteps(file) });
}

/** The same for who needs one. @throws as {@link existingKey}; {@link CliError} `ERR_CONFIG` where there is none */
export function requireFleetKey(file: string): string {
  const key = existingKey(file);
  if (key !== undefined) return key;
  const message = `there is no fleet key here: ${cleanLine(file)}`;
  throw new CliError("ERR_CONFIG", message, { next: copySteps(file) });
}

/** The same for who serves the fleet: made where there is none. @throws as {@link existingKey} */
export function ensureFleetKey(file: string): string {
  const known = existingKey(file);
  if (known !== undefined) return known;
  createOnce(file, Buffer.from(`${randomBytes(32).toString("hex")}\n`));
  return requireFleetKey(file);
}

/** How the key gets here: by hand, since no server is asked for it. */
export function copySteps(file: string): readonly string[] {
  const to = shellWord(file);
  return [
    `mkdir -p ${shellWord(dirname(file))}`,
    `scp SERVER:.config/quasar/fleet.key ${to}   # from where quasar fleet up or serve runs; it prints where`,
    `chmod 600 ${to}`,
  ];
}
