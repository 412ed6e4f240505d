import { expect, test } from "vitest";
import { aNebula, aPhase, NOW } from "../../../test/cockpit/facts.ts";
import { headerLine } from "./header.ts";
import { itemsOf } from "./items.ts";
import { limitedWords } from "./limited.ts";
import type { Shown } from "./shown.ts";

process.env["TZ"] = "UTC";

const AT = "2026-11-21T16:11:09.627Z";

test.for([
  ["today", AT, "limited until 16:12"],
  ["today, at a full minute", "2026-11-21T16:11:00Z", "limited until 16:11"],
  ["another day", "2026-11-22T00:30:00Z", "limited until 2026-11-22"],
] as const)(
  "a limit that ends %s says so in a few columns, never too early",
  ([, retryAt, words]) => {
    expect(limitedWords(retryAt, NOW)).toBe(words);
  },
);

const limited = aPhase("guide", { standing: "limited", retryAt: AT });

test("a phase whose agent is limited says until when, begun or not", () => {
  const begun = { ...limited, status: "running", attempts: aPhase("guide").attempts } as const;
  for (const phase of [limited, begun]) {
    const [item] = itemsOf(aNebula({ phases: [phase], needs: [] }), {} as Shown, NOW);
    expect(item).toMatchObject({ activity: "limited until 16:12", brief: "limited" });
  }
});

test.for([
  ["names the first end where nothing else is at work", [limited], "limited until 16:12"],
  [
    "says how many work where some do",
    [limited, aPhase("api", { status: "running", isWorkedOn: true })],
    "1 at work",
  ],
  ["says that none does", [aPhase("api")], "0 at work"],
] as const)("the head of a nebula %s", ([, phases, words]) => {
  const shown = { kind: "nebula", nebula: aNebula({ phases, needs: [] }) } as unknown as Shown;
  const head = headerLine(shown, NOW, 80).map(({ text }) => text);
  expect(head.join("").trimEnd()).toMatch(new RegExp(`${words}$`, "u"));
});
