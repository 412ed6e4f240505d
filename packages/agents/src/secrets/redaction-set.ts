import { scryptSync } from "node:crypto";
import { envFileSecrets } from "./env-files.ts";
import { KEPT_RULES } from "./kept-rules.generated.ts";
import { OWN_RULES } from "./own-rules.ts";
import { redactorOf, type Redactor } from "./redact.ts";
import { secretsOf } from "./values.ts";

/** What is taken out of a whole report: found once, so that each text is without the same secrets. */
export interface RedactionSet {
  readonly redact: Redactor;
  /**
   * 8 hex digits: sets with other digests take out other secrets. Too short, and too slow to compute, for a weak secret to be
   * guessed by it.
   */
  readonly digest: string;
}

/**
 * All that `createRedactor` takes out, and the values of a work tree's `.env*` files as they are now.
 *
 * @param workTree - Absolute path; `undefined`: there is none any more.
 * @see SPEC.md, "Secrets"
 */
export function createRedactionSet(
  env: Readonly<Record<string, string | undefined>>,
  workTree: string | undefined,
): RedactionSet {
  const files = workTree === undefined ? [] : envFileSecrets(workTree);
  const secrets = [...new Set([...secretsOf(env), ...files])].toSorted();
  const named = JSON.stringify([KEPT_RULES.rules, OWN_RULES, secrets]);
  return {
    redact: redactorOf(secrets),
    // Slow on purpose, and many who redact have no use for it.
    get digest() {
      return scryptSync(named, "quasar redaction set", 4).toString("hex");
    },
  };
}
