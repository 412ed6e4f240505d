import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { byLane, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { CheckpointError } from "../src/errors.ts";
import { createFileCheckpointStore } from "../src/file-store.ts";
import { aCheckpoint } from "../src/testing.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const name = "checkpoint.auth-api.toml";

/** The bytes of two generations, each sealed. */
async function twoGenerations(sealKey: Uint8Array | undefined) {
  const dir = aFolder();
  const store = createFileCheckpointStore({ dir, sealKey });
  await store.save(aCheckpoint({ coderOutput: "one\ntwo" }));
  const previous = readFileSync(join(dir, name));
  await store.save(aCheckpoint({ coderOutput: "one\nthree" }));
  return { previous, current: readFileSync(join(dir, name)) };
}

/** Each form, or one in so many. */
const STEP = byLane({ fast: 37, whole: 11, long: 1 });

/** Every truncation, then every single-bit flip. */
function* damagedForms(whole: Buffer): Generator<Buffer> {
  for (let length = seed % STEP; length < whole.length; length += STEP)
    yield whole.subarray(0, length);
  for (let bit = seed % STEP; bit < whole.length * 8; bit += STEP) {
    const flipped = Buffer.from(whole);
    flipped[bit >> 3]! ^= 1 << (bit & 7);
    yield flipped;
  }
}

test.for([
  ["a key", Buffer.alloc(32, 7)],
  ["no key", undefined],
] as const)(
  "no truncation and no single-bit flip is accepted silently, with %s",
  async ([, sealKey]) => {
    const { previous, current } = await twoGenerations(sealKey);
    const withPrevious = aFolder();
    const alone = aFolder();
    mkdirSync(withPrevious);
    mkdirSync(alone);
    writeFileSync(join(withPrevious, `${name}.1.prev`), previous);
    const stores = {
      withPrevious: createFileCheckpointStore({ dir: withPrevious, sealKey }),
      alone: createFileCheckpointStore({ dir: alone, sealKey }),
    };
    const outcomes = { fellBack: 0, refused: 0, foreign: 0, accepted: 0 };
    let forms = 0;
    for (const bytes of damagedForms(current)) {
      forms += 1;
      writeFileSync(join(withPrevious, name), bytes);
      writeFileSync(join(alone, name), bytes);
      const loaded = await stores.withPrevious.load("auth-api");
      const refusal = await stores.alone.load("auth-api").then(
        () => undefined,
        (error: unknown) => error,
      );
      if (loaded?.source === "previous" && loaded.problems.length > 0) outcomes.fellBack += 1;
      else if (loaded?.seal === "foreign") outcomes.foreign += 1;
      else outcomes.accepted += 1;
      if (refusal instanceof CheckpointError) outcomes.refused += 1;
    }
    // With a key, a flip in the MAC itself leaves whole bytes that nobody vouches for: `foreign`.
    const macBits = sealKey === undefined ? 0 : outcomes.foreign;
    expect(macBits).toBeLessThanOrEqual(64 * 8);
    expect(outcomes).toStrictEqual({
      fellBack: forms - macBits,
      refused: forms - macBits,
      foreign: macBits,
      accepted: 0,
    });
    expect(forms).toBeGreaterThan(10_000 / STEP);
    expect(readdirSync(alone)).toStrictEqual([name]);
  },
);
