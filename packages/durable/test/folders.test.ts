import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { type FileSystem, nodeFileSystem } from "../src/file-system.ts";
import { loadFile, recoverDirectory, replaceFile } from "../src/index.ts";
import { exploreCrashes, failing, type SimulatedProcess, withoutSync } from "../src/testing.ts";
import { decode, encode } from "./protocol.ts";

/** A folder in which a process saves, and one beside it that it makes later. */
const [RUNS, FIRST, SECOND] = ["/state/runs", "/state/runs/a/file", "/state/runs/b/file"];

const saved = (fs: FileSystem): string | undefined => {
  const values = [FIRST, SECOND].map(
    (path) => loadFile(path, decode, { fs, maxBytes: 100 })?.value ?? "",
  );
  const text = values.join(" ").trim();
  return text === "" ? undefined : text;
};

/** @param change - What is done to the file system on which both are saved. */
function explore(change: (fs: SimulatedProcess["fs"]) => FileSystem) {
  return exploreCrashes({
    seed: 1,
    maxStates: 10_000,
    maxRounds: 2,
    workload(process) {
      const fs = change(process.fs);
      for (const [path, value, after] of [
        [FIRST, "a", "a"],
        [SECOND, "b", "a b"],
      ] as const) {
        process.begin(after);
        replaceFile(path, encode(value), { ...process, fs });
        process.acknowledge(after);
      }
    },
    resume(process) {
      for (const dir of [`${RUNS}/a`, `${RUNS}/b`]) recoverDirectory(dir, process);
      process.acknowledge(saved(process.fs));
    },
    observe: saved,
  });
}

test("what is saved in a second folder, beside one that the process knows, is in every state", () => {
  const { findings, bad, states } = explore((fs) => fs);
  expect(findings).toEqual([]);
  expect(bad).toBe(0);
  expect(states).toBeGreaterThan(100);
});

test("the explorer finds it where the folder that holds both is not synced again", () => {
  const { bad } = explore((fs) => withoutSync(fs, ({ path, count }) => path === RUNS && count > 0));
  expect(bad).toBeGreaterThan(0);
});

test("of the folders above only the one that holds both is synced again", () => {
  const dir = mkdtempSync(join(tmpdir(), "durable-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const fs = failing(nodeFileSystem);
  const save = (folder: string): number => {
    const before = fs.calls.length;
    replaceFile(join(dir, "x/y/z", folder, "file"), encode("v"), { fs });
    return fs.calls.slice(before).filter((call) => call === "fsync").length;
  };
  expect(save("a")).toBeGreaterThan(6);
  // The new folder, the one that holds it, the file, and the new folder again once the file has its name.
  expect(save("b")).toBe(4);
});
