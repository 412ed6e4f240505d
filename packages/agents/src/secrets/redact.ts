import { isJson, replaceStrings } from "./json-strings.ts";
import { createPrivateKeyReader, replacePrivateKeys } from "./private-keys.ts";
import { mayHoldToken, replaceTokens } from "./tokens.ts";
import { MASK, secretsOf, valueReplacer } from "./values.ts";

/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

/** Takes given values out of texts, and every secret that is known by its form. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const replaceValues = valueReplacer(secrets, MASK);
  return (text) => replaceTokens(replaceValues(replacePrivateKeys(text, MASK)), MASK);
}

/**
 * Takes secrets out of texts: private keys and the tokens of services, which are known by their form;
 * of an environment, the values of variables whose names say that they are secret, of at least 8
 * characters; and passwords in URLs.
 *
 * @see SPEC.md, "Secrets"
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  return redactorOf(secretsOf(env));
}

/**
 * The same for lines of one output, in their order, as a private key has many. In a line of JSON forms are
 * looked for in its strings, as they are meant and not as they are written.
 */
export function createLineRedactor(secrets: readonly string[]): Redactor {
  const replaceValues = valueReplacer(secrets, MASK);
  const redact = redactorOf(secrets);
  const keys = createPrivateKeyReader(MASK);
  return (line) => {
    if (!keys.isInKey() && !mayHoldSecret(line)) return replaceValues(line);
    if (isJson(line)) return replaceValues(replaceStrings(line, redact));
    return replaceTokens(replaceValues(keys.replace(line)), MASK);
  };
}

/** Whether a line holds the beginning of a secret, or a character that is written as a number. */
function mayHoldSecret(line: string): boolean {
  return mayHoldToken(line) || line.includes("PRIVATE KEY") || /\\u00[2-7]/i.test(line);
}
