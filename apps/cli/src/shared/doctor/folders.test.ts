import { expect, test } from "vitest";
import { folderFindings } from "./folders.ts";

const FOLDER = { what: "state folder", path: "/h/.local/state/quasar", isSpare: false };

test("folders that can be written are one line", () => {
  const folders = ["work tree", "cache"].map((what) => ({ ...FOLDER, what, refusal: undefined }));
  expect(folderFindings(folders)).toEqual([
    { check: "folders", state: "ok", message: "can be written: work tree, cache", next: [] },
  ]);
});

test.for([
  ["EROFS", "the file system is read-only", "df /h/.local/state/quasar"],
  ["ENOSPC", "the disk is full", "df -h /h/.local/state/quasar"],
  ["EDQUOT", "the disk quota is used up", "quota -s"],
  ["EIO", "the disk fails", "dmesg"],
  ["EACCES", "permission denied", "ls -ld /h/.local/state/quasar"],
] as const)(
  "a folder that refuses with %s says why, and what shows it",
  ([refusal, words, command]) => {
    const whole = { ...FOLDER, what: "work tree", refusal: undefined };
    const [finding, ...others] = folderFindings([whole, { ...FOLDER, refusal }]);
    expect(others).toEqual([]);
    expect(finding).toMatchObject({
      state: "problem",
      message: `nothing can be written in the state folder /h/.local/state/quasar: ${words}`,
    });
    expect(finding?.next[0]).toContain(command);
  },
);

test("a folder that a run can do without is a warning", () => {
  const [finding] = folderFindings([{ ...FOLDER, isSpare: true, refusal: "EROFS" }]);
  expect(finding).toMatchObject({ state: "warning" });
});
