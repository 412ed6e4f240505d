import { expect, onTestFinished, test, vi } from "vitest";
import {
  budget,
  clock,
  count,
  duration,
  momentAfter,
  money,
  processes,
  quotedWord,
  shellWord,
  size,
  timeText,
} from "./format.ts";

test.for([
  [0, "$0.00"],
  [0.001, "<$0.01"],
  [0.125, "$0.13"],
  [12, "$12.00"],
] as const)("shows %d dollars as %s", ([usd, text]) => {
  expect(money(usd)).toBe(text);
});

test.for([
  [1.5, 0, 5, false, "$1.50 of $5.00"],
  [1.5, 0, 5, true, "$1.50 of $5.00"],
  [1.5, 0, 0, false, "$1.50, no limit"],
  [3.45, 3.33, 5, true, "$0.12 known, up to $3.33 more, of $5.00"],
  [0.1 + 0.2, 0.3, 5, false, "$0.00 known, up to $0.30 more, of $5.00"],
  [3.45, 3.33, 0, false, "$0.12 known, up to $3.33 more, no limit"],
  [0, 0, 0, true, "$0.00 known; some turns reported no cost"],
  [3.45, 3.33, 0, true, "$0.12 known, up to $3.33 more; some turns reported no cost"],
] as const)("shows %d spent, %d of it unknown, of %d", ([spentUsd, unknownUsd, max, is, text]) => {
  expect(budget({ spentUsd, unknownUsd, hasUnreportedCosts: is }, max)).toBe(text);
});

test.for([
  [420, "0.4 s"],
  [9_960, "10 s"],
  [59_400, "59 s"],
  [187_000, "3:07"],
] as const)("shows %d ms as %s", ([ms, text]) => {
  expect(duration(ms)).toBe(text);
});

test("shows hours on a clock", () => {
  expect(clock(3_729_999)).toBe("1:02:09");
});

test.for([
  [0, "no findings"],
  [1, "1 finding"],
  [2, "2 findings"],
] as const)("counts %d as %s", ([n, text]) => {
  expect(count(n, "finding")).toBe(text);
});

test("names one process or several", () => {
  expect([processes([12]), processes([12, 13])]).toEqual(["process 12", "processes 12 13"]);
});

test.for([
  ["/home/ada/shop-2", "/home/ada/shop-2"],
  ["/home/ada/my shop", "'/home/ada/my shop'"],
  ["/tmp/$(id);it's", "'/tmp/$(id);it'\\''s'"],
  ["", "''"],
] as const)("quotes %s for a shell where it has to be", ([text, word]) => {
  expect(shellWord(text)).toBe(word);
});

test.for([
  ["Bash", "Bash"],
  ["Bash(npm test *)", '"Bash(npm test *)"'],
  ["Bash(a $b *)", "'Bash(a $b *)'"],
  ["it's \\", "'it'\\''s \\'"],
] as const)("quotes %s as people do", ([text, word]) => {
  expect(quotedWord(text)).toBe(word);
});

test.for([
  [0, "no bytes"],
  [1, "1 byte"],
  [1536, "1.5 KiB"],
  [20 * 2 ** 20, "20 MiB"],
  [3 * 2 ** 40, "3.0 TiB"],
] as const)("shows %d bytes as %s", ([bytes, shown]) => {
  expect(size(bytes)).toBe(shown);
});

test.for([
  ["2026-11-29T08:11:09.627Z", "2026-11-29 08:12"],
  ["2026-11-29T08:11:00.000Z", "2026-11-29 08:11"],
  ["2026-12-31T23:59:00.001Z", "2027-01-01 00:00"],
  ["soon", "soon"],
  ["+275760-09-13T00:00:00.001Z", "+275760-09-13T00:00:00.001Z"],
] as const)("the end of a wait until %s is shown as %s", ([time, text]) => {
  vi.stubEnv("TZ", "UTC");
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(momentAfter(time)).toBe(text);
});

test("a time for everybody is of no place", () => {
  expect(timeText("2026-11-29T09:11:09.627+01:00")).toBe("2026-11-29 08:11:09 UTC");
  expect(timeText("soon")).toBe("");
});
