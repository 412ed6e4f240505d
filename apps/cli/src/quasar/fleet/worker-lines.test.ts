import type { WorkerEvent } from "@quasar/nebula/fleet";
import { expect, onTestFinished, test, vi } from "vitest";
import { createWorkerLog, workerFacts } from "./worker-lines.ts";

const of = { nebula: "aaaaaaaaaa", name: "checkout-for-guests-of-the-shop" };
const LANE_TAKEN: WorkerEvent = { type: "takes", ...of, work: "@lane", phase: "" };
const TAKEN: WorkerEvent = { type: "takes", ...of, work: "p1-cd03861f", phase: "slug" };

/** What is printed on 80 columns, without the times. */
function printed(events: readonly WorkerEvent[]): readonly string[] {
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  onTestFinished(() => write.mockRestore());
  const log = createWorkerLog(
    { columns: 80, paint: (_style, text) => text, live: false },
    "http://localhost:1",
  );
  for (const event of events) log(event);
  const lines = write.mock.calls
    .map(([text]) => String(text))
    .join("")
    .trimEnd()
    .split("\n");
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
  return lines.slice(1).map((line) => line.replace(/^\d\d:\d\d:\d\d/u, "00:00:00"));
}

test("work is named by the phase's id and the nebula's name", () => {
  const old: WorkerEvent = { ...TAKEN, type: "leaves", phase: "" };
  expect(printed([LANE_TAKEN, TAKEN, old])).toEqual([
    "00:00:00    worker   takes the lane of checkout-for-guests-of-…",
    "00:00:00    worker   takes phase slug of checkout-for-guests-of-…",
    "00:00:00    worker   has done with phase p1-cd03861f of checkout-for-guests-of-…",
  ]);
});

test("an event is printed under the name of its nebula where one of another was before", () => {
  const event = {
    type: "phase_begun",
    phase: "authentication-of-users",
    attempt: 1,
    runId: "",
  } as const;
  const begun = (name: string): WorkerEvent => ({ type: "of", nebula: name, name, event });
  const warning = { type: "warning", nebula: "demo", name: "demo" } as const;
  const long = { ...warning, message: "word ".repeat(20) };
  expect(printed([begun("demo"), long, begun("other"), begun("demo")])).toEqual([
    "00:00:00    nebula   demo",
    "00:00:00    authentication-… begins",
    "00:00:00    warning  word word word word word word word word word word word word",
    "                     word word word word word word word word",
    "00:00:00    nebula   other",
    "00:00:00    authentication-… begins",
    "00:00:00    nebula   demo",
    "00:00:00    authentication-… begins",
  ]);
});

test("what is out of reach is named, and for how long it was", () => {
  const depot = "/srv/depot.git";
  const events: readonly WorkerEvent[] = [
    { type: "away", depot: "", message: "the fleet's server at http://a.test does not answer" },
    { type: "back", depot: "", awayMs: 62_400 },
    { type: "away", depot, message: "\u001b[31mgit ls-remote failed" },
    { type: "back", depot, awayMs: 5000 },
  ];
  expect(printed(events)).toEqual([
    "00:00:00    server   out of reach, and tried again: the fleet's server at",
    "                     http://a.test does not answer",
    "00:00:00    server   back after 1:02",
    "00:00:00    depot    /srv/depot.git is out of reach, and tried again:",
    "                     \\u{1b}[31mgit ls-remote failed",
    "00:00:00    depot    /srv/depot.git is back after 0:05",
  ]);
  expect(events.map((event) => workerFacts(event).what)).toEqual(["away", "back", "away", "back"]);
});

test("--json has ids and refs beside the names", () => {
  expect(workerFacts(TAKEN)).toEqual({
    ...{ what: "takes", nebulaId: "aaaaaaaaaa", nebula: of.name, work: "p1-cd03861f" },
    ...{ phaseId: "slug", message: "" },
  });
  const event = { type: "phase_begun", phase: "slug", attempt: 1, runId: "" } as const;
  expect(workerFacts({ type: "of", ...of, event })).toMatchObject({
    ...{ what: "event", work: "", phaseId: "slug", message: "phase_begun" },
  });
});
