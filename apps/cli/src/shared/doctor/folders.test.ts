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
      message: `nothing can be written, ${words}: state folder /h/.local/state/quasar`,
    });
    expect(finding?.next[0]).toContain(command);
  },
);

test("folders that refuse for one reason are one line", () => {
  const two = ["work tree", "git folder"].map((what) => ({ ...FOLDER, what, refusal: "EROFS" }));
  const found = folderFindings([...two, { ...FOLDER, refusal: "EACCES" }]);
  const [path, readOnly] = [FOLDER.path, "nothing can be written, the file system is read-only"];
  expect(found.map(({ message }) => message)).toEqual([
    `${readOnly}: work tree ${path}, git folder ${path}`,
    `nothing can be written, permission denied: state folder ${path}`,
  ]);
});

test("a folder that a run can do without is a warning", () => {
  const [finding] = folderFindings([{ ...FOLDER, isSpare: true, refusal: "EROFS" }]);
  expect(finding).toMatchObject({ state: "warning" });
});
