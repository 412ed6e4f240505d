import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import * as v from "valibot";
import { aFolder } from "../../test/a-nebula.ts";
import { leaveNote, removeNote, waitingNotes } from "./notes.ts";

const GONE = "0-taken-meanwhile.json";

vi.mock(import("@quasar/process/files"), async (load) => {
  const real = await load();
  // It was there when the folder was listed.
  return { ...real, namesIn: (folder) => [...real.namesIn(folder), GONE] };
});

test("a note that was taken between listing and reading is passed over; a foreign one is kept", () => {
  const folder = aFolder({});
  leaveNote(folder, "hello", new Date(0));
  writeFileSync(join(folder, "foreign.json"), "{");
  const waiting = waitingNotes(folder, v.string());
  expect(waiting.map(({ said }) => said)).toEqual(["hello", undefined]);
  expect(waiting.map(removeNote)).toEqual([undefined, expect.stringContaining(".left-")]);
  expect(readdirSync(folder)).toEqual([expect.stringContaining("foreign.json.left-")]);
});

test("a foreign note that somebody else removes first is not there to be kept", () => {
  const path = join(aFolder({}), "foreign.json");
  expect(removeNote({ path, said: undefined })).toBeUndefined();
});
