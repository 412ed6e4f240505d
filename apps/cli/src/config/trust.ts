import { createHash } from "node:crypto";
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { createOnce } from "@quasar/durable";
import { CliError } from "../errors.ts";
import { cleanLine } from "../output/clean.ts";
import { fit } from "../output/width.ts";
import type { TomlValue } from "./table.ts";

/**
 * Whether the user has said yes to what a repository's file would run or spend. A yes is for one
 * file with one set of such values: it is asked for again when one of them changes.
 */
export interface TrustOptions {
  readonly path: string;
  /** What of it needs a yes, by key. */
  readonly guarded: Readonly<Record<string, TomlValue>>;
  /** The user's state folder. */
  readonly stateDir: string;
  /** `--trust-config`: the user says yes now. */
  readonly trust: boolean;
}

/** @throws {CliError} `ERR_UNTRUSTED_CONFIG`; names what the file would run or spend. */
export function requireTrust({ path, guarded, stateDir, trust }: TrustOptions): void {
  if (Object.keys(guarded).length === 0) return;
  const digest = createHash("sha256")
    .update(JSON.stringify([path, guarded]))
    .digest("hex");
  const record = join(stateDir, "trusted", digest);
  if (existsSync(record)) return;
  if (trust) {
    mkdirSync(join(stateDir, "trusted"), { recursive: true, mode: 0o700 });
    createOnce(record, Buffer.from(`${JSON.stringify({ path, ...guarded })}\n`));
    return;
  }
  const settings = Object.entries(guarded).map(
    ([key, value]) => `  ${key} = ${fit(cleanLine(JSON.stringify(value)), 200)}`,
  );
  const message = `${cleanLine(path)} would run programs or spend money:\n${settings.join("\n")}`;
  throw new CliError("ERR_UNTRUSTED_CONFIG", message, {
    next: ["the same command with --trust-config, once, if these settings are yours"],
  });
}
