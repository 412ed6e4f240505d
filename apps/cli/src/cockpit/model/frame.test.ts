import { stripVTControlCharacters } from "node:util";
import { widthOf } from "@quasar/runs/text";
import { expect, test } from "vitest";
import {
  aFinding,
  aNebula,
  aPhase,
  aRun,
  aTurn,
  shownFleet,
  shownNebula,
  shownRun,
} from "../../../test/cockpit/facts.ts";
import { NARROW, PLAIN, Screen, WIDE } from "../../../test/cockpit/screen.ts";
import { itemsOf } from "./items.ts";
import { groupedRows } from "./list.ts";
import { painted } from "./paint.ts";
import type { Shown } from "./shown.ts";

process.env["TZ"] = "UTC";

const GOLDEN = "../../../test/cockpit/golden";
const AT_LOGIN = { selected: "login-api" };
const AT_SESSIONS = { selected: "sessions" };

const SILENT = {
  since: "2026-11-21T16:04:10Z",
  why: "the fleet's server at http://127.0.0.1:8080 does not answer: connect ECONNREFUSED",
};

const SCREENS: readonly (readonly [name: string, screen: Screen])[] = [
  ["nebula-80x24", new Screen(shownNebula(), NARROW, AT_LOGIN)],
  ["nebula-80x24-working", new Screen(shownNebula(), NARROW, AT_SESSIONS)],
  ["nebula-120x40", new Screen(shownNebula(), WIDE, AT_SESSIONS)],
  ["nebula-59x15", new Screen(shownNebula(), { columns: 59, rows: 15 })],
  ["nebula-60x16", new Screen(shownNebula(), { columns: 60, rows: 16 }, AT_LOGIN)],
  ["nebula-80x24-accept", new Screen(shownNebula(), NARROW, AT_LOGIN).press("a")],
  ["nebula-120x40-reject", new Screen(shownNebula(), WIDE, AT_LOGIN).press("x", "N", "o")],
  ["nebula-80x24-diff", new Screen(shownNebula(), NARROW, AT_LOGIN).press("d")],
  ["nebula-80x24-findings", new Screen(shownNebula(), NARROW, AT_LOGIN).press("f")],
  ["nebula-80x24-turns", new Screen(shownNebula(), NARROW, AT_SESSIONS).press("enter")],
  ["nebula-80x24-log", new Screen(shownNebula(), NARROW, AT_LOGIN).press("l")],
  ["nebula-80x24-graph", new Screen(shownNebula(), NARROW, AT_LOGIN).press("g")],
  ["nebula-80x24-help", new Screen(shownNebula(), NARROW, AT_LOGIN).press("?")],
  ["fleet-80x24", new Screen(shownFleet(), NARROW, AT_SESSIONS)],
  ["fleet-80x24-waits", new Screen(shownFleet(), NARROW, AT_LOGIN)],
  ["fleet-80x24-silent", new Screen(shownFleet(SILENT), NARROW, AT_SESSIONS)],
  ["fleet-120x40", new Screen(shownFleet(), WIDE, AT_LOGIN)],
  ["fleet-60x16", new Screen(shownFleet(), { columns: 60, rows: 16 }, AT_SESSIONS)],
  ["run-80x24", new Screen(shownRun(), NARROW)],
  ["run-120x40", new Screen(shownRun(), WIDE)],
];

test.for(SCREENS)("%s looks as it is kept", async ([name, screen]) => {
  await expect(screen.text()).toMatchFileSnapshot(`${GOLDEN}/${name}.txt`);
});

test("colours are all that is different with colours", () => {
  const screen = new Screen(shownNebula(), NARROW, AT_LOGIN);
  const coloured = screen.text({ hasColour: true, isAscii: false });
  expect(coloured).toContain("\u001b[33m! 1 needs you\u001b[39m");
  expect(stripVTControlCharacters(coloured)).toBe(screen.text());
});

test("a terminal that has ASCII alone gets nothing else, in the same places", async () => {
  const screen = new Screen(shownNebula(), WIDE, AT_SESSIONS);
  const text = screen.text({ hasColour: false, isAscii: true });
  expect(text).toMatch(/^[ -~\n]*$/u);
  await expect(text).toMatchFileSnapshot(`${GOLDEN}/nebula-120x40-ascii.txt`);
});

test.for([NARROW, WIDE])("a phase says why it waits or has failed, in %o", (size) => {
  const approved = aRun({ status: "approved", turns: [aTurn(1)] });
  const phases = [
    aPhase("one", { status: "running", isWorkedOn: true, runs: [approved] }),
    aPhase("two", { status: "running", runs: [approved] }),
    aPhase("three", { status: "failed", reason: "its setup failed: no pnpm" }),
  ];
  const shown = shownNebula({ phases, needs: [], lane: [] });
  const text = new Screen(shown, size, { selected: "three" }).text();
  expect(text).toMatch(/> one +approved/u);
  expect(text).toMatch(/\. two +approved/u);
  expect(text).toMatch(/(?:│| ) ?its setup failed: no pnpm/u);
});

test("the keys of a screen of work say that it stops with its terminal", () => {
  const help = (ownsWork: boolean) =>
    new Screen(shownNebula({}), NARROW, {}, ownsWork).press("?").text();
  expect(help(true)).toMatch(/ ctrl-c +stop the work, and save it/u);
  expect(help(true)).toContain("closing the terminal stops it, with all saved.");
  expect(help(true)).not.toContain("whether this screen is open or not");
  expect(help(false)).toMatch(/ ctrl-c +leave the screen, too; the work continues/u);
  expect(help(false)).toContain("What works continues whether this screen is open or not.");
});

test("a list that is cut ends with how many more there are, and never with a title alone", () => {
  const phase = (n: number) => aPhase(`p${n}`, { status: "pending" });
  const failed = (n: number) => aPhase(`f${n}`, { status: "failed" });
  const phases = [...[1, 2, 3, 4].map(phase), failed(1), failed(2), failed(3)];
  const items = itemsOf(aNebula({ phases, needs: [], lane: [] }), shownNebula(), 0);
  const rows = (count: number) =>
    groupedRows(items, { selected: "p1", columns: 80, rows: count }).map((row) =>
      painted(row, PLAIN),
    );
  expect(rows(6).at(-1)?.trim()).toBe("3 more");
  expect(rows(7).at(-1)).toContain("f1");
});

test("a phase that agents work on again says at which attempt it is", () => {
  const again = { status: "running", isWorkedOn: true, attempt: 2 } as const;
  const phases = [aPhase("one", again), aPhase("two", { status: "pending", attempt: 3 })];
  const items = itemsOf(aNebula({ phases, needs: [], lane: [] }), shownNebula(), 0);
  expect(items.map(({ activity }) => activity)).toEqual([
    "attempt 2: its work tree is made ready",
    "attempt 3: waits for a free worker",
  ]);
});

const HOSTILE =
  "\u001b]0;title\u0007\u001b[2J\u202eevil\u200b\r\nnext\u0000 界界界界界界界界界界界界 👩‍👩‍👧 e\u0301";

function hostile(): Shown {
  const run = aRun({
    ...{ task: HOSTILE, reason: HOSTILE, coder: HOSTILE, reviewer: HOSTILE },
    turns: [aTurn(1, { summary: HOSTILE, denied: [HOSTILE] })],
    findings: [aFinding(HOSTILE, { severity: HOSTILE, description: HOSTILE })],
  });
  const phase = aPhase(HOSTILE, { title: HOSTILE, status: "failed", reason: HOSTILE, runs: [run] });
  const event = { at: HOSTILE, type: HOSTILE, turnId: HOSTILE, phase: HOSTILE, text: HOSTILE };
  const need = {
    kind: "failed",
    phase: HOSTILE,
    text: HOSTILE,
    questionId: "",
    digest: "",
  } as const;
  return {
    kind: "nebula",
    nebula: aNebula({ name: HOSTILE, phases: [phase], needs: [need], events: [event], lane: [] }),
    said: new Map([[aTurn(1).turnId, [{ kind: "text", text: HOSTILE }]]]),
    change: {
      files: [{ path: HOSTILE, added: 1, removed: 1 }],
      lines: [{ text: HOSTILE, style: undefined }],
    },
  };
}

const EVERYWHERE: readonly (readonly string[])[] = [
  ...[[], ["enter"], ["d"], ["f"], ["l"], ["g"], ["?"], ["t"], ["s"]],
  ...[
    ["d", "tab"],
    ["d", "tab", "tab"],
    ["d", "tab", "tab", "tab"],
  ],
];

test.for([NARROW, WIDE, { columns: 59, rows: 15 }])(
  "hostile and wide text neither acts nor leaves its place in %o",
  (size) => {
    for (const keys of EVERYWHERE) {
      const text = new Screen(hostile(), size, { selected: HOSTILE }).press(...keys).text();
      // oxlint-disable-next-line no-control-regex -- controls are what this is about
      expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b\u202e]/u);
      const lines = text.split("\n").slice(0, -1);
      expect(lines).toHaveLength(size.rows);
      expect(lines.map(widthOf)).toEqual(lines.map(() => size.columns));
    }
  },
);

test("ten thousand events take no longer than a few", () => {
  const events = Array.from({ length: 10_000 }, (_, n) => ({
    ...{ at: "2026-11-21T15:58:03Z", type: "x", turnId: "", phase: "" },
    text: `event ${n}`,
  }));
  const screen = new Screen(shownNebula({ events }), NARROW, AT_LOGIN).press("l");
  expect(screen.text()).toContain("event 9999");
  expect(screen.frame().mostScroll).toBe(10_000 - 20);
  expect(screen.press(" ").text()).toContain("event 9989");
});
