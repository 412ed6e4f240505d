/** Characters of a line: a longer one is no line to read. */
const MOST = 2000;

/** Text for a place that holds one line. */
export function short(text: string): string {
  if (text.length <= MOST) return text;
  return `${text.slice(0, MOST).toWellFormed()} … ${text.length - MOST} more characters`;
}
