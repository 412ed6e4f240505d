/** `GIT_AUTHOR_NAME` and `XAUTHORITY` hold no secret. */
const SECRET_NAME =
  /KEY|TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|CREDS|AUTH(?!OR(?!IZ))|PRIVATE|COOKIE|(^|_)(PASS|PAT)(_|$)|^(MYSQL_PWD|SSHPASS)$/i;
/** Names that look like one and hold a place, not a secret. */
const PLACE_NAME = /(_FILE|_PATH|_DIR|_SOCK|_URL|_HOST)$/i;
const MIN_LENGTH = 8;
/** What stands in the place of a secret. */
export const MASK = "[redacted]";
/** `scheme://user:password@`, and a token that stands alone there; read once, however long. */
const IN_URL = /:\/\/[^\s/@"'<>]+@/g;
/** The same in a URL that stands encoded in another one. */
const IN_ENCODED_URL = /%3a%2f%2f(?:(?!%2f|%40)[^\s/@"'<>])+%40/gi;
const PASSWORD_IN_URL = /:\/\/[^\s/@:]*:([^\s/@]+)@/g;

/** Values of variables that look secret by their names, and passwords in URLs, whatever the name is. */
export function secretsOf(env: Readonly<Record<string, string | undefined>>): readonly string[] {
  const values = Object.entries(env).flatMap(([name, value = ""]) => {
    const passwords = Array.from(value.matchAll(PASSWORD_IN_URL), ([, password = ""]) => password);
    return isSecretName(name) ? [...partsOf(value), ...passwords] : passwords;
  });
  return [...new Set(values.filter((value) => value.length >= MIN_LENGTH))];
}

/** What is secret of a value, whatever its name: all of it, and each of its lines. */
export function secretsIn(value: string): readonly string[] {
  return partsOf(value).filter((part) => part.length >= MIN_LENGTH);
}

/** Whether a variable looks secret by its name. */
export function isSecretName(name: string): boolean {
  return SECRET_NAME.test(name) && !PLACE_NAME.test(name);
}

/** Output is read line by line: a key of many lines is as many secrets, but for its frame. */
function partsOf(value: string): readonly string[] {
  const lines = value.split(/[\r\n]+/).filter((line) => !line.startsWith("-----"));
  return [value, ...lines];
}

/** A value as it may stand in what a program prints. */
function formsOf(value: string): readonly string[] {
  const bytes = Buffer.from(value);
  const json = JSON.stringify(value).slice(1, -1);
  const inJson = [json, asciiOf(json), json.replaceAll("/", "\\/")].flatMap((form) => [
    form,
    JSON.stringify(form).slice(1, -1),
  ]);
  return [value, ...inJson, encodeURIComponent(value)].concat(
    // A value in the middle of base64 text shows up in one of three alignments.
    [0, 1, 2]
      .map((shift) => alignedBase64(bytes, shift))
      .filter((form) => form.length >= MIN_LENGTH)
      .flatMap((form) => [form, form.replaceAll("+", "-").replaceAll("/", "_")]),
  );
}

/** As JSON is written by what leaves nothing but ASCII in it. */
function asciiOf(json: string): string {
  return json.replaceAll(
    /[^\u0020-\u007e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
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
 * Replaces given values in texts, as they are and as JSON, URLs and base64 have them, and passwords in
 * URLs.
 */
export function valueReplacer(secrets: readonly string[], mask: string): (text: string) => string {
  const forms = [...new Set(secrets.flatMap(formsOf))].toSorted((a, b) => b.length - a.length);
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.map(escaped).join("|"), "g");
  return (text) => {
    const masked = pattern === undefined ? text : text.replace(pattern, mask);
    const plain =
      masked.includes("://") && masked.includes("@")
        ? masked.replace(IN_URL, `://${mask}@`)
        : masked;
    return plain.includes("%40") ? plain.replace(IN_ENCODED_URL, `%3A%2F%2F${mask}%40`) : plain;
  };
}
