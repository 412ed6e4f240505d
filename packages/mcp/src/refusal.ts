import { createRedactor } from "@quasar/agents/environment";
import { NebulaError } from "@quasar/nebula";
import { RunsError } from "@quasar/runs";
import { McpError } from "./errors.ts";
import { untrusted, type Untrusted } from "./untrusted/untrusted.ts";

/** An error as a caller may have it: words of others in it are marked. */
export interface Refusal {
  readonly code: string;
  readonly message: string | Untrusted;
}

/** @param origin - Where the error comes from: the tool's name. */
export function refusalOf(error: unknown, origin: string): Refusal {
  if (error instanceof McpError) return { code: error.code, message: error.message };
  const code =
    error instanceof RunsError || error instanceof NebulaError ? error.code : "ERR_FAILED";
  const message = error instanceof Error ? error.message : String(error);
  const redact = createRedactor(process.env);
  return { code, message: untrusted(redact(message), `error of ${origin}`) };
}
