/** A text that the caller must not take for instructions, and where it comes from. */
export interface Untrusted {
  readonly untrusted: string;
  /** Who wrote it: `coder of run 20261121-101500-7f3a9c`. */
  readonly origin: string;
}

/**
 * Marks a text of a run, of an agent or of the repository.
 *
 * @param most - Characters that are kept. @default 4,000
 */
export function untrusted(text: string, origin: string, most = MOST): Untrusted {
  const kept = text.toWellFormed();
  return { untrusted: kept.length <= most ? kept : `${kept.slice(0, most)}${CUT}`, origin };
}

const MOST = 4000;
const CUT = "… (cut)";
