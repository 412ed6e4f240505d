import { Buffer } from "node:buffer";

const SHORT: Readonly<Record<string, string>> = {
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** In a double-quoted string of TOML. */
function escapeOf(character: string): string {
  const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return SHORT[character] ?? `\\u${code}`;
}

/**
 * Escapes characters of ASCII. Byte by byte, as a text may consist of nothing else: a replacement for each match
 * takes ten times as long.
 *
 * @param escaped - Matches each of the characters by itself.
 * @returns Takes a well-formed text.
 */
export function escaperOf(escaped: RegExp): (text: string) => string {
  const escapes = Array.from({ length: 256 }, (_, code) => {
    const character = String.fromCharCode(code);
    return code < 128 && escaped.test(character) ? Buffer.from(escapeOf(character)) : undefined;
  });
  const growth = Uint8Array.from(escapes, (bytes) => (bytes === undefined ? 0 : bytes.length - 1));
  return (text) => {
    const bytes = Buffer.from(text);
    let size = bytes.length;
    for (let from = 0; from < bytes.length; from++) size += growth[bytes[from] ?? 0] ?? 0;
    if (size === bytes.length) return text;
    const result = Buffer.allocUnsafe(size);
    let to = 0;
    for (let from = 0; from < bytes.length; from++) {
      const byte = bytes[from] ?? 0;
      const escape = escapes[byte];
      if (escape === undefined) result[to++] = byte;
      else for (let at = 0; at < escape.length; at++) result[to++] = escape[at] ?? 0;
    }
    return result.toString();
  };
}
