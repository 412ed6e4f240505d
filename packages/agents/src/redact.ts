/** Takes secrets out of a text. */
export type Redactor = (text: string) => string;

const SECRET_NAME = /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|AUTH|PRIVATE|COOKIE|SESSION_ID/i;
/** Names that look like one and hold a place, not a secret. */
const PLACE_NAME = /(_FILE|_PATH|_DIR|_SOCK|_URL|_HOST)$/i;
const MIN_LENGTH = 8;
const MASK = "[redacted]";
/** `scheme://user:password@`: the password, and a token that stands alone. */
const IN_URL = /\b([a-z][a-z0-9+.-]*:\/\/)([^\s/@:"'<>]*)(:[^\s/@"'<>]*)?@/gi;

/** Values of variables that look secret by their names. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) =>
    SECRET_NAME.test(name) && !PLACE_NAME.test(name) && value.length >= MIN_LENGTH ? [value] : [],
  );
  return [...new Set(values)];
}

/** A value as it may stand in what a program prints. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  return [value, json, JSON.stringify(json).slice(1, -1), encodeURIComponent(value)].concat(
    // A value in the middle of base64 text shows up in one of three alignments.
    [0, 1, 2].map((shift) => alignedBase64(bytes, shift)).filter((form) => form.length >= 8),
  );
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function alignedBase64(bytes: Buffer, shift: number): string {
  const padded = Buffer.concat([Buffer.alloc(shift), bytes]);
  const whole = padded.toString("base64").replaceAll("=", "");
  // Characters that neighbours have a part in are left out.
  const from = shift === 0 ? 0 : shift + 1;
  const to = padded.length % 3 === 0 ? whole.length : whole.length - 1;
  return whole.slice(from, to);
}

/**
 * Takes given values out of texts, as they are and as JSON, URLs and base64 have them, and passwords
 * out of URLs.
 */
export function redactorOf(secrets: readonly string[]): Redactor {
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const pattern =
    forms.length === 0 ? undefined : new RegExp(forms.map(escaped).join("|"), "g");
  return (text) => {
    const masked = pattern === undefined ? text : text.replace(pattern, MASK);
    return masked.includes("://") && masked.includes("@")
      ? masked.replace(IN_URL, (_, scheme: string) => `${scheme}${MASK}@`)
      : masked;
  };
}

/**
 * Takes the secrets of an environment out of texts: the values of variables whose names say that
 * they are secret, of at least 8 characters, and passwords in URLs.
 *
 * @see SPEC.md, "Secrets"
 */
export function createRedactor(env: Readonly<Record<string, string | undefined>>): Redactor {
  return redactorOf(secretsOf(env));
}
