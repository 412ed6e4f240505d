import { expect, test } from "vitest";
import { apply, applyArgs, phaseText, withDemo } from "./a-nebula.ts";
import { quasar } from "./harness.ts";
import type { Turn } from "./scripts.ts";

/** An agent that has met its limit, and does not say when that is lifted. */
const LIMITED: readonly Turn[] = [
  { role: "coder", text: "", failure: { kind: "rate-limit", message: "Usage limit reached" } },
];

const FILES = {
  "nebula.toml": '[nebula]\nname = "demo"\n[execution]\nmax_workers = 1\n',
  "1.md": phaseText("one"),
  "2.md": phaseText("two"),
};

/** Text without what differs each time. */
function steady(text: string): string {
  return text
    .replaceAll(/\b[a-z2-7]{10}\b/gu, "ID")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "TIME")
    .replaceAll(/rm \S+\/limits\/[0-9a-f]{16}\.json/gu, "rm FILE");
}

const END = `demo: 0 of 2 phases landed on nebula/demo, $0.00 spent
  limited  one, two: its agent's usage limit ends at TIME
  next     quasar nebula apply ID --auto --resume --wait-limit 1h
           rm FILE # if the limit of scripted is lifted already
`;

test("an engine that a usage limit has ended says why, until when, and what continues it", async () => {
  const at = withDemo(FILES);
  const ended = await quasar(at, applyArgs(at, LIMITED));
  expect(ended.code, ended.stderr).toBe(75);
  expect(steady(ended.stdout)).toContain(END);
  const status = await quasar(at, ["nebula", "status"]);
  expect(steady(status.stdout)).toBe(END);

  const show = await quasar(at, ["nebula", "show", "two"]);
  const shown = steady(show.stdout);
  expect(shown).toContain("phase two of the nebula demo limited\n");
  expect(shown).toContain("because  its agent's usage limit ends at TIME\n");
  expect(shown).toContain("next     quasar nebula apply ID --auto --resume --wait-limit 1h\n");

  const report = await quasar(at, ["report"]);
  expect(report.stdout).toMatch(/limited .*its agent's usage limit ends at \d{4}-\S+ \S+ UTC/u);
});

test("an engine that finds the limit on record says of it what is known, in times as everywhere", async () => {
  const first = withDemo(FILES);
  await apply(first, LIMITED);
  const at = { ...withDemo(FILES), env: first.env };
  const { code, stdout, stderr } = await quasar(at, applyArgs(at, LIMITED));
  expect(code, stderr).toBe(75);
  expect(steady(stdout)).toContain(
    "  one      waits for the usage limit of scripted; tried again at TIME\n",
  );
  const log = await quasar(at, ["nebula", "log"]);
  expect(steady(log.stdout)).toContain(
    "waits for the usage limit of scripted; tried again at TIME",
  );
  for (const text of [stdout, stderr, log.stdout]) {
    expect(text).not.toMatch(/elsewhere|\dT\d\d:\d\d/u);
  }
});
