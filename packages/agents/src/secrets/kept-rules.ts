/** A kind of token that its beginning tells from everything else. */
export interface KeptRule {
  /** Each token begins with one of these. */
  readonly prefixes: readonly string[];
  /** A regular expression without flags, of the whole token, prefix included. */
  readonly pattern: string;
}

/** The rules that others keep, as they were taken over. */
export interface KeptRules {
  readonly source: string;
  readonly version: string;
  /** When that version was published: `2026-01-31`. */
  readonly published: string;
  readonly license: string;
  readonly rules: readonly KeptRule[];
}
