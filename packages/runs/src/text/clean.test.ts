import { expect, test } from "vitest";
import { clean, cleanLine, jsonLine } from "./clean.ts";

const ESC = "\u001b";

/** What a terminal could act on, each with what is to be seen instead. */
const HOSTILE: readonly (readonly [string, string, string])[] = [
  ["a colour", `${ESC}[31mred`, "\\u{1b}[31mred"],
  ["a cursor move", `${ESC}[2A`, "\\u{1b}[2A"],
  ["a cleared screen", `${ESC}[2J${ESC}[H`, "\\u{1b}[2J\\u{1b}[H"],
  ["a window title (OSC, BEL)", `${ESC}]0;owned\u0007`, "\\u{1b}]0;owned\\u{7}"],
  ["a link (OSC 8, ST)", `${ESC}]8;;http://x${ESC}\\`, "\\u{1b}]8;;http://x\\u{1b}\\"],
  ["the clipboard (OSC 52)", `${ESC}]52;c;aGk=\u0007`, "\\u{1b}]52;c;aGk=\\u{7}"],
  ["a device control string", `${ESC}P1$r${ESC}\\`, "\\u{1b}P1$r\\u{1b}\\"],
  [
    "a tmux passthrough",
    `${ESC}Ptmux;${ESC}${ESC}[31m${ESC}\\`,
    "\\u{1b}Ptmux;\\u{1b}\\u{1b}[31m\\u{1b}\\",
  ],
  ["an application program command", `${ESC}_x${ESC}\\`, "\\u{1b}_x\\u{1b}\\"],
  ["a privacy message", `${ESC}^x${ESC}\\`, "\\u{1b}^x\\u{1b}\\"],
  ["a C1 control sequence", "\u009b31m", "\\u{9b}31m"],
  ["a C1 OSC", "\u009d0;x\u009c", "\\u{9d}0;x\\u{9c}"],
  ["a carriage return that overwrites", "failed\rpassed", "failed\\u{d}passed"],
  ["a backspace", "no\u0008\u0008ok", "no\\u{8}\\u{8}ok"],
  ["a bell", "\u0007", "\\u{7}"],
  ["a vertical tab and a form feed", "a\u000bb\u000cc", "a\\u{b}b\\u{c}c"],
  ["a NUL and a DEL", "\u0000\u007f", "\\u{0}\\u{7f}"],
  ["a shift to another character set", "\u000e\u000f", "\\u{e}\\u{f}"],
  ["a bidi override", "\u202edetrever\u202c", "\\u{202e}detrever\\u{202c}"],
  ["a bidi isolate", "\u2066x\u2069\u061c", "\\u{2066}x\\u{2069}\\u{61c}"],
  ["zero-width characters", "a\u200bb\u200dc\ufeff", "a\\u{200b}b\\u{200d}c\\u{feff}"],
  ["tag characters and variation selectors", "\u{e0041}\ufe0f", "\\u{e0041}\\u{fe0f}"],
  ["a trailing escape", `end${ESC}`, "end\\u{1b}"],
];

test.for(HOSTILE)("shows %s instead of obeying it", ([, text, expected]) => {
  expect(clean(text)).toBe(expected);
});

test("keeps what people write", () => {
  expect(clean("naïve – 日本語 🎉\nnext\tcolumn")).toBe("naïve – 日本語 🎉\nnext  column");
});

test("makes half a surrogate pair well-formed", () => {
  expect(clean("a\ud83d")).toBe("a\ufffd");
});

test("leaves no control character of a million random ones", () => {
  let seed = 42;
  const random = () => (seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648) / 2_147_483_648;
  const text = Array.from({ length: 1_000_000 }, () =>
    String.fromCharCode(Math.floor(random() * 0x3000)),
  ).join("");
  expect(clean(text).replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}]/u);
});

test("puts several lines into one", () => {
  expect(cleanLine("  one\r\n two\u0085\t three\u001b ")).toBe("one two three\\u{1b}");
});

test.for(HOSTILE)("writes %s into JSON without loss and without effect", ([, text]) => {
  const line = jsonLine({ text });
  expect(line.slice(0, -1)).not.toMatch(/[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
  expect(JSON.parse(line)).toEqual({ text });
});
