import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, test } from "vitest";
import { createFileCheckpointStore } from "./file-store.ts";
import { describeCheckpointStore } from "./testing.ts";

const root = mkdtempSync(join(tmpdir(), "checkpoint-"));
afterAll(() => rmSync(root, { recursive: true }));
let count = 0;
const aFolder = (): string => join(root, String(++count));

describe("the file store", () => {
  describeCheckpointStore({ test }, () => createFileCheckpointStore({ dir: aFolder() }));
});

describe("the file store with a key", () => {
  const sealKey = Buffer.alloc(32, 7);
  describeCheckpointStore({ test }, () => createFileCheckpointStore({ dir: aFolder(), sealKey }));
});
