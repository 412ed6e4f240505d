/** The beginning of a text, of so many UTF-16 code units, marked as cut; a shorter text as it is. */
export function cutText(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most).toWellFormed()}…` : text;
}
