import { pathWithin } from "./paths.ts";

/**
 * Files and folders, as one entry of `scope` names them; a folder stands for all that is in it. Its parts are those between
 * slashes: a text that is compared as it is, what matches one name, or what stands for any number of names.
 */
export type Scope = readonly Part[];

type Part = string | Glob;

/** What matches a name, piece by piece. */
interface Glob {
  readonly pieces: readonly Piece[];
  /** With what every name begins and ends that it matches. */
  readonly start: string;
  readonly end: string;
}

/** `"*"`: any characters; else one of them. */
type Piece = "*" | CharacterSet;

interface CharacterSet {
  readonly isNegated: boolean;
  /** First and last code point, both included. */
  readonly ranges: readonly (readonly [number, number])[];
}

/** The entries of a scope; those that are none are left out. */
export function scopesOf(texts: readonly string[]): readonly Scope[] {
  return texts.flatMap((text) => {
    const scope = parseScope(text);
    return scope === undefined ? [] : [scope];
  });
}

const MOST_CHARACTERS = 1000;
const ANY: CharacterSet = { isNegated: true, ranges: [] };
/** Any number of names, one below the other. */
const NAMES: Glob = { pieces: [], start: "", end: "" };

/**
 * Reads a path or a pattern: `internal/auth`, `cmd/*.go`, `src/**`, `[a-c]?.ts`, with `\` before a character that stands for
 * itself. `undefined` where it is none, or leads out of the repository.
 */
export function parseScope(text: string): Scope | undefined {
  const path = pathWithin(text);
  if (path === undefined || path.length > MOST_CHARACTERS) return undefined;
  if (path === ".") return [NAMES];
  const parts = path.split("/").map(parsePart);
  if (parts.includes(undefined)) return undefined;
  return [...(parts as Part[]), ...(NAMES_FILES.test(path) ? [] : [NAMES])];
}

/** `src/*.ts`, `src/[ab]?.c`: an extension behind what matches any name says that no folder is meant. */
const NAMES_FILES = /[*?\]][^/]*\.[^/]*$/;

/** Whether a scope has a file, by its path within the repository. */
export function isInScope(scope: Scope, path: string): boolean {
  return meet(scope, path.split("/"));
}

/** Whether any file could be in both scopes. */
export function scopesOverlap(a: Scope, b: Scope): boolean {
  // Most scopes are paths, and differ early.
  const most = Math.min(a.length, b.length);
  for (let at = 0; at < most; at++) {
    const [one, other] = [a[at], b[at]];
    if (typeof one !== "string" || typeof other !== "string") break;
    if (one !== other) return false;
  }
  return meet(a, b);
}

/** Whether some path is matched by both. */
function meet(a: readonly Part[], b: readonly Part[]): boolean {
  return canMeet(a, b, (part) => part === NAMES, partsMeet);
}

function partsMeet(a: Part, b: Part): boolean {
  if (typeof a === "string" && typeof b === "string") return a === b;
  // Quick to tell of most: `test/a-*.ts` and `test/b-*.ts`.
  const [start, otherStart] = [startOf(a), startOf(b)];
  if (!start.startsWith(otherStart) && !otherStart.startsWith(start)) return false;
  const [end, otherEnd] = [endOf(a), endOf(b)];
  if (!end.endsWith(otherEnd) && !otherEnd.endsWith(end)) return false;
  return canMeet(piecesOf(a), piecesOf(b), (piece) => piece === "*", piecesMeet);
}

function startOf(part: Part): string {
  return typeof part === "string" ? part : part.start;
}

function endOf(part: Part): string {
  return typeof part === "string" ? part : part.end;
}

function piecesOf(part: Part): readonly Piece[] {
  if (typeof part !== "string") return part.pieces;
  return Array.from(part, (character) => only(character.codePointAt(0) ?? 0));
}

/** Whether two lists, in which some items stand for any number of items, can stand for the same one. */
function canMeet<T>(
  a: readonly T[],
  b: readonly T[],
  isMany: (item: T) => boolean,
  areOne: (one: T, other: T) => boolean,
): boolean {
  // What is behind each place of `b`, for the place of `a` that was considered last.
  let behind: boolean[] = [];
  for (let i = a.length; i >= 0; i--) {
    const row: boolean[] = [];
    for (let j = b.length; j >= 0; j--) {
      const one = a[i];
      const other = b[j];
      if (one === undefined && other === undefined) row[j] = true;
      else if (one !== undefined && isMany(one)) {
        row[j] = behind[j] === true || (other !== undefined && row[j + 1] === true);
      } else if (other !== undefined && isMany(other)) {
        row[j] = row[j + 1] === true || (one !== undefined && behind[j] === true);
      } else {
        const isBehind = one !== undefined && other !== undefined && behind[j + 1] === true;
        row[j] = isBehind && areOne(one, other);
      }
    }
    behind = row;
  }
  return behind[0] === true;
}

function piecesMeet(a: Piece, b: Piece): boolean {
  if (a === "*" || b === "*") return true;
  if (a.isNegated && b.isNegated) return true;
  if (a.isNegated) return isAnyOutside(b, a);
  if (b.isNegated) return isAnyOutside(a, b);
  return a.ranges.some(([from, to]) => b.ranges.some(([low, high]) => from <= high && low <= to));
}

/** Whether a set has a character that a negated one does not take out. */
function isAnyOutside(set: CharacterSet, { ranges: out }: CharacterSet): boolean {
  return set.ranges.some(([from, to]) => {
    let next = from;
    for (const [low, high] of out.toSorted(([a], [b]) => a - b)) {
      if (low > next) break;
      next = Math.max(next, high + 1);
    }
    return next <= to;
  });
}

function only(code: number): CharacterSet {
  return { isNegated: false, ranges: [[code, code]] };
}

/** `undefined`: a bracket or a backslash in it is not closed, or a range is turned round. */
function parsePart(text: string): Part | undefined {
  if (text === "**") return NAMES;
  if (!/[*?[\\]/.test(text)) return text;
  const pieces: Piece[] = [];
  let rest = text;
  while (rest !== "") {
    const [token] = TOKEN.exec(rest) ?? [];
    const piece = token === undefined ? undefined : parsePiece(token);
    if (token === undefined || piece === undefined) return undefined;
    pieces.push(piece);
    rest = rest.slice(token.length);
  }
  const [start = ""] = /^[^*?[\\]*/.exec(text) ?? [];
  const [end = ""] = /[^*?\]\\]*$/.exec(text) ?? [];
  return { pieces, start, end: text.includes("\\") ? "" : end };
}

const TOKEN = /^(?:\*+|\?|\[\^?(?:\\.|[^\\\]])+\]|\\.|[^[\\])/su;

function parsePiece(token: string): Piece | undefined {
  if (token.startsWith("*")) return "*";
  if (token === "?") return ANY;
  if (token.startsWith("[")) return parseSet(token.slice(1, -1));
  return only(codeOf(token));
}

function parseSet(text: string): CharacterSet | undefined {
  const isNegated = text.startsWith("^");
  const items = text.slice(isNegated ? 1 : 0).matchAll(/(\\.|[^\\])(?:-(\\.|[^\\]))?/gsu);
  const ranges = Array.from(
    items,
    ([, from = "", to = from]) => [codeOf(from), codeOf(to)] as const,
  );
  const isSet = ranges.length > 0 && ranges.every(([from, to]) => from <= to);
  return isSet ? { isNegated, ranges } : undefined;
}

/** Of a character, with or without a backslash before it. */
function codeOf(text: string): number {
  return text.replace(/^\\(?=.)/su, "").codePointAt(0) ?? 0;
}
