/**
 * At most `max` code points of a text, well-formed: half of a surrogate pair, from a cut elsewhere,
 * becomes U+FFFD, and none is made here.
 */
export function cutText(text: string, max: number): string {
  const whole = text.toWellFormed();
  if (whole.length <= max) return whole;
  let units = 0;
  for (let points = 0; points < max && units < whole.length; points++) {
    units += (whole.codePointAt(units) ?? 0) > 0xffff ? 2 : 1;
  }
  return whole.slice(0, units);
}
