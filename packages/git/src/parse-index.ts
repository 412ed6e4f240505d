/** The words for what an index says of a path that git is not to look at. */
export const ASSUMED = "assume-unchanged";
/** As all files are outside of a sparse checkout. */
export const SKIPPED = "skip-worktree";

/** How long the ids of objects are, in bytes. */
const [SHA1, SHA256] = [20, 32];

const HEADER = 12;
/** Times, device, inode, mode, owner and size. */
const STAT = 40;

/**
 * The paths, bytes one a character, that an index has git not look at, and how.
 *
 * @returns `undefined` for what is no whole index, or only a part of one.
 * @see gitformat-index(5)
 */
export function parseFlags(index: Buffer): Flagged | undefined {
  return parseWith(index, SHA1) ?? parseWith(index, SHA256);
}

type Flagged = readonly (readonly [path: string, how: string])[];

function parseWith(index: Buffer, idBytes: number): Flagged | undefined {
  if (index.length < HEADER + idBytes || index.toString("latin1", 0, 4) !== "DIRC")
    return undefined;
  const version = index.readUInt32BE(4);
  const end = index.length - idBytes;
  if (version < 2 || version > 4) return undefined;
  const flags: [string, string][] = [];
  let at = HEADER;
  let path = "";
  for (let left = index.readUInt32BE(8); left > 0; left -= 1) {
    const start = at;
    at += STAT + idBytes;
    if (at + 4 > end) return undefined;
    const word = index.readUInt16BE(at);
    at += 2;
    const isExtended = (word & 0x4000) !== 0;
    const more = isExtended ? index.readUInt16BE(at) : 0;
    if (isExtended) at += 2;
    let kept = "";
    if (version === 4) {
      // How much of the path before is left out, in a number of git's of variable length.
      let byte = index[at++] ?? 0;
      let cut = byte & 0x7f;
      while ((byte & 0x80) !== 0) {
        byte = index[at++] ?? 0;
        cut = ((cut + 1) << 7) | (byte & 0x7f);
      }
      kept = path.slice(0, path.length - cut);
    }
    const nul = index.indexOf(0, at);
    if (nul < 0 || nul >= end) return undefined;
    path = kept + index.toString("latin1", at, nul);
    at = version === 4 ? nul + 1 : start + ((nul - start + 8) & ~7);
    const how = [(word & 0x8000) !== 0 && ASSUMED, (more & 0x4000) !== 0 && SKIPPED];
    const said = how.filter((each) => each !== false).join(", ");
    if (said !== "") flags.push([path, said]);
  }
  return endsWell(index, at, end) ? flags : undefined;
}

/** What follows are extensions: the sum of their lengths says that the entries were read right. */
function endsWell(index: Buffer, from: number, end: number): boolean {
  let at = from;
  while (at + 8 <= end) {
    // The entries are in another file, too.
    if (index.toString("latin1", at, at + 4) === "link") return false;
    at += 8 + index.readUInt32BE(at + 4);
  }
  return at === end;
}
