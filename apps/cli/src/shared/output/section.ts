/** Lines with an empty one before them, where there are any. */
export function section(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}
