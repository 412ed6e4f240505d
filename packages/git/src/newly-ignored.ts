import { dirname, join } from "node:path";
import type { SignalOptions } from "./head.ts";
import { ignoredFiles, type IgnoredEntry } from "./ignored-files.ts";
import { isNewer, TICK_MS } from "./newer.ts";
import { type Mentions, mentionsIn } from "./refers-to.ts";
import type { Repository } from "./repository.ts";
import { gitOutput } from "./run.ts";
import { isOwnPath } from "./snapshots.ts";

/** Work that ignore rules keep out of every commit. Paths from the root, a folder's with a slash at its end. */
export interface NewlyIgnored {
  /** `.gitignore` files that are ignored themselves, and have changed: neither they nor what they ignore is in a commit. */
  readonly rules: readonly string[];
  /** What else has come, been moved there or changed, but for what tools make again. */
  readonly paths: readonly string[];
  /** Whether there are more ignored files than were checked. */
  readonly isCut: boolean;
}

/** Full ids of the commits or trees between which the work lies. */
export interface WorkBetween {
  readonly from: string;
  readonly to: string;
}

export interface NewlyIgnoredOptions extends SignalOptions {
  /** What the lines of this work name is work too, whatever it is called. Asked where it matters. */
  readonly work?: (() => Promise<WorkBetween>) | undefined;
}

/**
 * What ignore rules keep out of commits and has come since a moment; what is the product's own is left out. Starts two git processes, three where
 * something has changed whose name does not say that it is work.
 *
 * @throws {GitError} as `dirtyPaths` does; `ERR_GIT_FAILED` where an end of the work is missing; the signal's reason
 *   when aborted.
 * @see SPEC.md, "Work that is ignored"
 */
export async function newlyIgnored(
  { root }: Pick<Repository, "root">,
  since: Date,
  { work, signal }: NewlyIgnoredOptions = {},
): Promise<NewlyIgnored> {
  const { entries: all, isCut } = await ignoredFiles({ root }, { signal });
  const entries = all.filter(({ path }) => !isOwnPath(path));
  const isRule = ({ path }: IgnoredEntry): boolean => /(?:^|\/)\.gitignore$/u.test(path);
  const rules: string[] = [];
  for (const { path } of entries.filter(isRule)) {
    if (await isNewer(join(root, path), since)) rules.push(path);
  }
  const hidden = rules.map((path) => `${dirname(path)}/`);
  const others = entries.filter(
    (entry) => !isRule(entry) && !hidden.some((dir) => entry.path.startsWith(dir)),
  );
  const candidates = others.map((entry) => candidateOf(entry, since.getTime() - TICK_MS));
  const isOpen = candidates.some(({ unsure }) => unsure.length > 0);
  const mentions =
    isOpen && work ? mentionsIn(await patchOf(root, await work(), signal)) : undefined;
  return { rules, paths: candidates.flatMap((each) => summary(each, mentions)), isCut };
}

async function patchOf(
  root: string,
  { from, to }: WorkBetween,
  signal: AbortSignal | undefined,
): Promise<string> {
  const plain = ["--no-ext-diff", "--no-textconv", "--no-color", "--no-renames", "--unified=0"];
  return gitOutput("read", root, ["diff-tree", "-r", "-p", ...plain, from, to, "--"], { signal });
}

/** What is new or changed in an entry of git's list. */
interface Candidate {
  readonly path: string;
  /** Whether the whole entry has come, and is not by its name what tools make again. */
  readonly isNew: boolean;
  /** Files that are work by their names. */
  readonly sure: readonly string[];
  /** Those that are work where the work's lines name them. */
  readonly unsure: readonly string[];
}

function candidateOf({ path, sinceMs, files }: IgnoredEntry, afterMs: number): Candidate {
  const isNew = sinceMs > afterMs && !isMadeAgain(path);
  const changed = files.filter(({ changedMs }) => changedMs > afterMs).map((file) => file.path);
  const isSure = (file: string): boolean => !isMadeAgain(file) && (isNew || SOURCE.test(file));
  return {
    path,
    isNew,
    sure: changed.filter(isSure),
    unsure: changed.filter((file) => !isSure(file)),
  };
}

/** As many files of one folder are named; of more the folder is. */
const MOST_OF_ONE = 3;

function summary(
  { path, isNew, sure, unsure }: Candidate,
  mentions: Mentions | undefined,
): readonly string[] {
  const named = mentions ? unsure.filter((file) => isNamed(file, mentions)) : [];
  const paths = [...sure, ...named].toSorted();
  if (paths.length === 0) return [];
  return (isNew && sure.length > 0) || paths.length > MOST_OF_ONE ? [path] : paths;
}

/** A folder's common name is no sign: there the way from it on has to be named. */
function isNamed(path: string, mentions: Mentions): boolean {
  const folders = path.split("/").slice(0, -1);
  const from = folders.findIndex(isOutputName);
  return from === -1 ? mentions.name(path) : mentions.way(path, from);
}

const OUTPUTS: ReadonlySet<string> = new Set([
  ...["dist", "build", "_build", "out", "target", "bin", "obj", "coverage", "htmlcov", "vendor"],
  ...["generated", "__generated__", "gen", "venv", "env", "log", "logs", "tmp", "temp", "reports"],
]);

function isOutputName(name: string): boolean {
  return name.startsWith(".") || OUTPUTS.has(name.toLowerCase()) || /\.egg-info$/u.test(name);
}

/** Endings that programs write. */
const MADE: readonly RegExp[] = [
  /\.(?:log|tmp|bak|swp|orig|pid|sock|tsbuildinfo|lcov|map|db|sqlite3?|db-(?:journal|wal|shm))$/iu,
  /\.(?:pyc|o|a|so|dylib|dll|exe|class|jar|whl|wasm)$/iu,
  /(?:\.d\.[cm]?ts|_pb2(?:_grpc)?\.pyi?|\.pb\.\w+|\.g\.dart|[.-]lock(?:\.json|\.yaml|b)?)$/iu,
];

/** Whether tools make it again: by its name, hidden files and folders among them. */
function isMadeAgain(path: string): boolean {
  return (
    path.split("/").filter(Boolean).some(isOutputName) || MADE.some((ending) => ending.test(path))
  );
}

/** What people write by hand; data that programs write has other endings. */
const SOURCE =
  /\.(?:[cm]?[jt]sx?|vue|svelte|astro|py[iwx]?|ipynb|rb|php|p[lm]|lua|go|rs|c|cc|cpp|cxx|h|hh|hpp|m|mm|swift|kts?|java|scala|clj[cs]?|groovy|cs|fs|vb|exs?|erl|hs|mli?|elm|dart|r|jl|zig|nim|sql|sh|bash|zsh|fish|ps1|proto|graphql|s?css|less|html?)$/iu;
