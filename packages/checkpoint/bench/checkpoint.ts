import { Buffer } from "node:buffer";
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { fitText } from "../src/artifacts.ts";
import { MAX_CHECKPOINT_BYTES } from "../src/encode.ts";
import { checkpointPath } from "../src/file-name.ts";
import { createFileCheckpointStore } from "../src/file-store.ts";
import { sealText } from "../src/seal.ts";
import { aCheckpoint } from "../src/testing/a-checkpoint.ts";

/** A figure of ours against the same work done with less, in the same run. */
export interface BenchRow {
  readonly name: string;
  /** Median of ours by median of the other, in milliseconds. */
  readonly ours: number;
  readonly theirs: number;
  readonly ratio: number;
  /** What `ratio` is at most to be; `undefined` for a figure without a goal. */
  readonly goal: number | undefined;
}

const ascii =
  'Read internal/auth/login.go: it\'s missing a nil check; "go test ./..." fails at C:\\x\n';
const accents = 'Прочитал internal/auth/login.go — добавил проверку 😀 it\'s "fine" now\n';
const colours = "\x1b[32mPASS\x1b[0m internal/auth/login_test.go: 12 tests, 0 failures, 0.31 s\n";

/**
 * Saves and reads of the file store, side by side with the bare system calls.
 *
 * @param scale - Share of the work to do: 1 is what the goals are set for.
 */
export async function benchCheckpoint(scale = 1): Promise<readonly BenchRow[]> {
  const dir = mkdtempSync(join(tmpdir(), "quasar-bench-"));
  try {
    return [
      ...(await benchSave(dir, "save, 64 KB of output", ascii, 64 * 1024, 1.25, 200 * scale)),
      ...(await benchSave(dir, "save, 1 MB of output", ascii, 1024 * 1024, 1.7, 100 * scale)),
      ...(await benchSave(
        dir,
        "save, 1 MB beyond Latin",
        accents,
        1024 * 1024,
        undefined,
        50 * scale,
      )),
      ...(await benchSave(
        dir,
        "save, 1 MB with colours",
        colours,
        1024 * 1024,
        undefined,
        50 * scale,
      )),
      ...(await benchLoad(dir, 10_000 * scale)),
    ];
  } finally {
    rmSync(dir, { recursive: true });
  }
}

/** A text of about that many bytes that no other save has had. */
function outputOf(line: string, bytes: number, save: number): string {
  const text = `${save}: ${line}`.repeat(Math.floor(bytes / (Buffer.byteLength(line) + 4)));
  return Buffer.from(text).toString(); // as read from a pipe: flat, not a rope
}

/** Between 0.8 and 1.2, by the number of the save: an output is seldom as long as the one before. */
function shareOf(save: number): number {
  return 0.8 + 0.4 * ((save * 0.618_034) % 1);
}

async function benchSave(
  root: string,
  name: string,
  line: string,
  bytes: number,
  goal: number | undefined,
  rounds: number,
): Promise<readonly BenchRow[]> {
  const dir = join(root, name.replaceAll(/\W/g, "-"));
  const bare = join(dir, "bare");
  mkdirSync(bare, { recursive: true });
  const store = createFileCheckpointStore({ dir, sealKey: Buffer.alloc(32, 7) });
  const ours: number[] = [];
  const theirs: number[] = [];
  const inTable: number[] = [];
  const table = aTable(join(dir, "table.db"));
  for (let round = 0; round < rounds + 20; round++) {
    const coderOutput = outputOf(line, bytes * shareOf(round), round);
    const checkpoint = aCheckpoint({ phaseId: "", coderOutput });
    const started = performance.now();
    await store.save(checkpoint);
    const saved = performance.now();
    const same = readFileSync(join(dir, "checkpoint.toml"));
    const bareStarted = performance.now();
    writeBare(bare, same);
    const bareSaved = performance.now();
    table.replaceRow(JSON.stringify(checkpoint));
    const tableSaved = performance.now();
    if (round < 20) continue; // warm-up
    ours.push(saved - started);
    theirs.push(bareSaved - bareStarted);
    inTable.push(tableSaved - bareSaved);
  }
  table.close();
  return [
    row(name, ours, theirs, goal),
    row(`${name}, against a row of SQLite`, ours, inTable, undefined),
  ];
}

/**
 * One row as JSON in a database that flushes at each transaction. LangGraph's saver is not beside it: it needs
 * better-sqlite3, which has to be compiled.
 */
function aTable(path: string) {
  const database = new DatabaseSync(path);
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("CREATE TABLE state (id INTEGER PRIMARY KEY, text TEXT)");
  const replace = database.prepare("INSERT OR REPLACE INTO state VALUES (1, ?)");
  return {
    replaceRow: (text: string): void => void replace.run(text),
    close: () => database.close(),
  };
}

/** What any durable save needs: write, fsync, rename, fsync of the folder. */
function writeBare(dir: string, bytes: Uint8Array): void {
  const temporary = join(dir, "file.tmp");
  const fd = openSync(temporary, "w", 0o600);
  writeSync(fd, bytes);
  fsyncSync(fd);
  closeSync(fd);
  renameSync(temporary, join(dir, "file"));
  const folder = openSync(dir, "r");
  fsyncSync(folder);
  closeSync(folder);
}

async function benchLoad(root: string, count: number): Promise<readonly BenchRow[]> {
  const small = aFullFolder(root, "small", count, 5 * 1024);
  const large = aFullFolder(root, "large", count, 64 * 1024);
  const [loading, reading, listing, loadingLarge] = [[], [], [], []] as number[][];
  for (let round = 0; round < 3; round++) {
    reading?.push(await timed(() => readAll(small.dir)));
    loading?.push(await timed(() => small.store.loadAll()));
    listing?.push(await timed(() => large.store.list()));
    loadingLarge?.push(await timed(() => large.store.loadAll()));
  }
  return [
    row(`loadAll of ${count} of 5 KB, against reading them`, loading ?? [], reading ?? [], 5),
    row(`list of ${count} of 64 KB, against loadAll`, listing ?? [], loadingLarge ?? [], 0.08),
  ];
}

/** Written without the store, whose first save of each phase looks through the whole folder. */
function aFullFolder(root: string, name: string, count: number, bytes: number) {
  const dir = join(root, name);
  mkdirSync(dir);
  const length = bytes - 1400; // what the rest of the file takes
  for (let number = 0; number < count; number++) {
    const phaseId = `phase-${number}`;
    const checkpoint = aCheckpoint({ phaseId, coderOutput: outputOf(ascii, length, number) });
    const { text } = fitText(checkpoint, MAX_CHECKPOINT_BYTES);
    const sealed = sealText(text, undefined, { ...checkpoint, repositoryId: "" });
    writeFileSync(checkpointPath(dir, phaseId), sealed);
  }
  return { dir, store: createFileCheckpointStore({ dir }) };
}

function readAll(dir: string): void {
  for (const name of readdirSync(dir)) {
    if (name.endsWith(".toml")) readFileSync(join(dir, name), "utf8");
  }
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** From a clean heap, so that nobody pays for what was left by another. */
async function timed(act: () => unknown): Promise<number> {
  collectGarbage();
  const started = performance.now();
  await act();
  return performance.now() - started;
}

function row(name: string, ours: number[], theirs: number[], goal: number | undefined): BenchRow {
  const [a, b] = [median(ours), median(theirs)];
  return { name, ours: a, theirs: b, ratio: a / b, goal };
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
}

if (import.meta.main) {
  const rows = await benchCheckpoint();
  if (process.argv.includes("--json")) console.log(JSON.stringify(rows));
  else console.table(rows);
}
