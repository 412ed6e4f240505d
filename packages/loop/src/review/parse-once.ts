/**
 * What a text of JSON says; `undefined` for one that is no JSON, and for one in which an object has a key twice: of such a
 * key readers take different values.
 */
export function parseOnce(json: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return undefined;
  }
  return countKeys(json) === keysIn(value) ? value : undefined;
}

/** A text is followed by a colon only where it is a key. */
const KEY = /"(?:[^"\\]|\\.)*"(\s*:)?/gsu;

function countKeys(json: string): number {
  let keys = 0;
  for (const [, colon] of json.matchAll(KEY)) if (colon !== undefined) keys += 1;
  return keys;
}

/** However deep they are: a text may nest further than calls may. */
function keysIn(value: unknown): number {
  const open: unknown[] = [value];
  let keys = 0;
  while (open.length > 0) {
    const next = open.pop();
    if (typeof next !== "object" || next === null) continue;
    if (!Array.isArray(next)) keys += Object.keys(next).length;
    for (const each of Object.values(next) as unknown[]) open.push(each);
  }
  return keys;
}
