/**
 * Words by which a forge closes an issue when the commit comes to the default branch, wherever they stand in its
 * message: GitHub's and GitLab's, before a number, another repository's number, or an address.
 */
export const CLOSES: RegExp =
  /\b(close[sd]?|closing|fix(?:e[sd]|ing)?|resolve[sd]?|resolving|implement(?:s|ed|ing)?)(?::\s*|\s+)(?=(?:issues?\s+)?(?:[\w./-]*#\d|gh-\d|https?:))/iu;

const ALL = new RegExp(CLOSES, "giu");

/** The text with a word between, so that it names the issue and closes nothing: who merges decides that. */
export function closingNothing(text: string): string {
  return text.replace(ALL, "$1, see ");
}
