/**
 * A save against the least that a durable save can be: write, fsync, rename, fsync of the folder.
 * Run: node bench/save.ts
 */
import { createHash, createHmac } from "node:crypto";
import * as fs from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { replaceFile } from "../src/index.ts";

const ROUNDS = 7;
const dir = fs.mkdtempSync(join(tmpdir(), "durable-bench-"));

function bound(path: string, bytes: Uint8Array): void {
  const file = fs.openSync(`${path}.tmp`, "w", 0o600);
  fs.writeSync(file, bytes);
  fs.fsyncSync(file);
  fs.closeSync(file);
  fs.renameSync(`${path}.tmp`, path);
  const folder = fs.openSync(dir, "r");
  fs.fsyncSync(folder);
  fs.closeSync(folder);
}

function sealed(path: string, bytes: Uint8Array): void {
  const digest = createHash("sha256").update(bytes).digest("hex");
  const mac = createHmac("sha256", "key").update(digest).digest("hex");
  replaceFile(path, Buffer.concat([bytes, Buffer.from(`# ${digest} ${mac}\n`)]));
}

const METHODS = { bound, replaceFile, sealed };
type Method = keyof typeof METHODS;

function medianMs(method: Method, bytes: Uint8Array, count: number): number {
  const path = join(dir, `${method}.${bytes.length}`);
  const times = Array.from({ length: count }, () => {
    const start = performance.now();
    METHODS[method](path, bytes);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(count / 2)] ?? Number.NaN;
}

const names: readonly Method[] = ["bound", "replaceFile", "sealed"];
for (const [size, count] of [
  [2048, 100],
  [65_536, 100],
  [1_048_576, 60],
] as const) {
  const bytes = Buffer.alloc(size, "checkpoint ");
  for (const name of names) medianMs(name, bytes, 20);
  const medians: Record<Method, number[]> = { bound: [], replaceFile: [], sealed: [] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (let turn = 0; turn < names.length; turn += 1) {
      const name = names[(round + turn) % names.length] ?? "bound";
      medians[name].push(medianMs(name, bytes, count));
    }
  }
  const best = (name: Method): number => medians[name].sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  const rows = names.map((name) => {
    return `${name} ${best(name).toFixed(3)} ms (${(best(name) / best("bound")).toFixed(2)}x)`;
  });
  console.log(`${size} bytes: ${rows.join(", ")}`);
}
fs.rmSync(dir, { recursive: true });
