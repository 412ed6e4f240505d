/**
 * Replaces each string value of a JSON text by what a function makes of it, and nothing else: keys, and
 * how the rest is written, stay as they are.
 *
 * @param json - A valid JSON text.
 */
export function replaceStrings(json: string, replace: (value: string) => string): string {
  const pieces: string[] = [];
  let kept = 0;
  for (let at = json.indexOf('"'); at >= 0; ) {
    const end = endOfString(json, at);
    if (!/^\s*:/.test(json.slice(end, end + 40))) {
      const value = JSON.parse(json.slice(at, end)) as string;
      const replaced = replace(value);
      if (replaced !== value) {
        pieces.push(json.slice(kept, at), JSON.stringify(replaced));
        kept = end;
      }
    }
    at = json.indexOf('"', end);
  }
  return pieces.join("") + json.slice(kept);
}

/** Behind the quote that ends the string which begins there. */
function endOfString(json: string, start: number): number {
  for (let at = json.indexOf('"', start + 1); ; at = json.indexOf('"', at + 1)) {
    if (at < 0) return json.length;
    let slashes = 0;
    while (json.charCodeAt(at - 1 - slashes) === 92) slashes += 1;
    if (slashes % 2 === 0) return at + 1;
  }
}

/** Whether a line is an object or a list in JSON, as agents that stream events print them. */
export function isJson(line: string): boolean {
  if (!line.startsWith("{") && !line.startsWith("[")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
