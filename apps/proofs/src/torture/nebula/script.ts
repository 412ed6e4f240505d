import { sharedText } from "./fixture.ts";

const coder = (match: string, files: Readonly<Record<string, string>>): object => ({
  ...{ role: "coder", match, files },
  text: "Written.",
});

const reviewer = (match: string): object => ({
  ...{ role: "reviewer", match },
  text: "APPROVED: it is there.\n\nREPORT:\nSATISFACTION: high\nRISK: low\nNEEDS_HUMAN_REVIEW: no\nSUMMARY: Good.\n",
});

const phase = (id: string): string => String.raw`\nDo ${id}\.`;

/**
 * What the scripted agents do. Each turn of the whole run is one of its own, so that what was asked twice is seen; the
 * rework is the same whichever phase it is of.
 */
export const NEBULA_TURNS: readonly object[] = [
  coder("REWORK:", { "middle.txt": "by both\n" }),
  {
    ...coder(phase("a"), { "shared.txt": sharedText({ 1: "line 1 by a" }), "a.txt": "a\n" }),
    says: [{ text: "Writing it", files: { "a.txt": "half of a\n" } }],
  },
  coder(phase("b"), { "shared.txt": sharedText({ 30: "line 30 by b" }) }),
  coder(phase("c"), { "c.txt": "c\n", "middle.txt": "by one\n" }),
  coder(phase("e"), { "e.txt": "e\n", "middle.txt": "by another\n" }),
  coder(phase("d"), { "d.txt": "d\n" }),
  ...["REWORK:", ...["a", "b", "c", "e", "d"].map(phase)].map(reviewer),
];
