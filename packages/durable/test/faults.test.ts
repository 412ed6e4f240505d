import { describe, expect, test } from "vitest";
import { replaceFile } from "../src/index.ts";
import type { ExploreCrashesOptions, Fault, SimulatedProcess, Value } from "../src/testing.ts";
import { createChooser, createDisk, exploreCrashes, failing, shortWrites } from "../src/testing.ts";
import { DIR, encode, FILE, observe, resume } from "./protocol.ts";

const ERRNOS = ["EIO", "ENOSPC", "EDQUOT", "EMFILE", "EACCES", "EROFS", "EXDEV"];

/** The calls of the second save, which is the one that fails. */
function callsOfSecondSave(): { first: number; end: number } {
  const fs = failing(createDisk().connect());
  replaceFile(FILE, encode("v1"), { fs });
  const first = fs.calls.length;
  replaceFile(FILE, encode("v2"), { fs });
  return { first, end: fs.calls.length };
}

interface Outcome {
  acknowledged: boolean;
  found: Value;
  temporaries: readonly string[];
}

/** A save that works, one that meets the fault, and one after the fault has gone. */
function threeSaves(
  process: SimulatedProcess,
  fault: Fault,
  note: (outcome: Outcome) => void,
): void {
  const fs = failing(process.fs, fault);
  const options = { fs, random: process.random };
  const save = (value: string): void => {
    process.begin(value);
    replaceFile(FILE, encode(value), options);
    process.acknowledge(value);
  };
  save("v1");
  let acknowledged = true;
  try {
    save("v2");
  } catch {
    acknowledged = false;
  }
  fs.repair();
  const temporaries = fs.readdir(DIR).filter((name) => name.endsWith(".tmp"));
  note({ acknowledged, found: observe(process.fs), temporaries });
  save("v3");
}

const { first, end } = callsOfSecondSave();
const faults = ERRNOS.flatMap((errno) =>
  [false, true].flatMap((sticky) =>
    Array.from(
      { length: end - first },
      (_, index): Fault => ({ at: first + index, errno, sticky }),
    ),
  ),
);

describe(`a save whose call fails (${faults.length} cases)`, () => {
  test("acknowledges nothing, keeps the old or the new file, and leaves no temporary one", () => {
    const wrong = faults.flatMap((fault) => {
      const outcomes: Outcome[] = [];
      const disk = createDisk();
      const { bytes: random, choose } = createChooser(fault.at);
      const ignore = (): void => {};
      const process = { fs: disk.connect(), random, choose, begin: ignore, acknowledge: ignore };
      threeSaves(process, fault, (outcome) => outcomes.push(outcome));
      const [outcome] = outcomes;
      const isRight =
        outcome?.acknowledged === false &&
        (outcome.found === "v1" || outcome.found === "v2") &&
        (outcome.temporaries.length === 0 || callAt(fault) === "unlink") &&
        observe(disk.connect()) === "v3";
      return isRight ? [] : [{ fault, outcome }];
    });
    expect(wrong).toEqual([]);
  });

  test("is survived by a power cut, then and after the next save", () => {
    const reports = faults.map((fault) => {
      const workload: ExploreCrashesOptions["workload"] = (process) => {
        threeSaves(process, fault, () => {});
      };
      return exploreCrashes({ seed: 1, maxStates: 1, workload, resume, observe });
    });
    expect(reports.flatMap(({ findings }) => findings)).toEqual([]);
    expect(reports.reduce((sum, { states }) => sum + states, 0)).toBeGreaterThan(100_000);
  });
});

test("a save continues where a write or read was short", () => {
  const fs = shortWrites(createDisk().connect(), 4);
  replaceFile(FILE, encode("v1"), { fs });
  expect(observe(fs)).toBe("v1");
});

function callAt({ at }: Fault): string | undefined {
  const fs = failing(createDisk().connect());
  replaceFile(FILE, encode("v1"), { fs });
  replaceFile(FILE, encode("v2"), { fs });
  return fs.calls[at];
}
