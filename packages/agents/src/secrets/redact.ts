import { isJson, replaceStrings } from "./json-strings.ts";
import { createPrivateKeyReader, replacePrivateKeys } from "./private-keys.ts";
import { mayHoldToken, replaceTokens } from "./tokens.ts";
import { asSeen, hidesAnything, visibleText } from "./visible.ts";
import { MASK, secretsOf, valueReplacer } from "./values.ts";

/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

/** Takes given values out of texts, and every secret that is known by its form. */
export function redactorOf(secrets: readonly string[]): Redactor {
  const replaceValues = valueReplacer(secrets, MASK);
  return asSeen((text) => replaceTokens(replaceValues(replacePrivateKeys(text, MASK)), MASK));
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

/** Takes secrets out of lines of one output, which come in their order. */
export type LineRedactor = (lines: readonly string[]) => readonly string[];

/**
 * The same for lines of one output, as a private key has many. In a line of JSON forms are searched for in its strings,
 * as they are meant and not as they are written. Lines that come together are looked through one by one only where
 * they may hold a secret.
 */
export function createLineRedactor(secrets: readonly string[]): LineRedactor {
  const replaceValues = valueReplacer(secrets, MASK);
  const redact = redactorOf(secrets);
  const redactSeen = asSeen((line) => replaceTokens(replaceValues(line), MASK));
  const keys = createPrivateKeyReader(MASK);
  const redactLine = (line: string): string => {
    if (!keys.isInKey() && !mayHoldSecret(line)) return replaceValues(line);
    if (isJson(line)) return replaceValues(replaceStrings(line, redact));
    const seen = visibleText(line);
    const masked = keys.replace(seen);
    return redactSeen(masked === seen ? line : masked);
  };
  return (lines) => {
    if (!keys.isInKey()) {
      const text = lines.join("\n");
      if (!mayHoldSecret(text) && replaceValues(text) === text) return lines;
    }
    return lines.map(redactLine);
  };
}

/** Characters that are written as a number: those of ASCII, and those that are not seen. */
const WRITTEN = /\\u(?:0[036]|1[178]|20|31|db|f[ef])/i;

/** Whether a text holds the beginning of a secret, or may hold it in a form in which it is not found at once. */
function mayHoldSecret(text: string): boolean {
  const isHidden = WRITTEN.test(text) || hidesAnything(text);
  return isHidden || mayHoldToken(text) || text.includes("PRIVATE KEY");
}
