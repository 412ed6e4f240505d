/** The structured answer that a text is; `undefined`: it is prose. */
export function structuredIn(text: string): object | undefined {
  if (!/^\s*\{/u.test(text)) return undefined;
  try {
    return JSON.parse(text) as object;
  } catch {
    return undefined;
  }
}
