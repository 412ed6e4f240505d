import { expect, test } from "vitest";
import { applyArgs, phaseText, withDemo } from "./a-nebula.ts";
import { quasar } from "./harness.ts";
import { agents, APPROVAL, issue, type Turn } from "./scripts.ts";

// Ten phases are begun in the evening; in the morning somebody reads where they stand.

const KEYS: Readonly<Record<string, string>> = {
  prices: "priority = 1",
  cart: "priority = 1",
  search: "max_review_cycles = 1",
  page: 'depends_on = ["search"]',
  pay: 'gate = "review"',
  tax: "",
  mails: "",
  docs: "",
  export: "",
  // The limit is met once the others are out of their agents' hands.
  import: 'depends_on = ["prices", "cart", "docs", "export"]',
};
const IDS = Object.keys(KEYS);

const FILES = {
  "nebula.toml": `[nebula]
name = "shop"
[execution]
max_workers = 3
verify = ["true"]
`,
  ...Object.fromEntries(
    Object.entries(KEYS).map(([id, keys], at) => [`${at}-${id}.md`, phaseText(id, keys)]),
  ),
};

/** Two phases that begin side by side change the same line. */
const isInConflict = (id: string): boolean => id === "prices" || id === "cart";

/** When the limit is lifted. */
const LIFTED = new Date(Date.now() + 4.5 * 3_600_000).toISOString();

const TURNS: readonly Turn[] = [
  {
    role: "coder",
    match: "REWORK:",
    text: "Kept both.",
    files: { "a.txt": "prices and cart\n" },
    costUsd: 0.1,
  },
  {
    role: "coder",
    match: "Do import.",
    text: "",
    costUsd: 0.05,
    failure: { kind: "rate-limit", message: "Usage limit reached", retryAt: LIFTED },
  },
  ...IDS.map(
    (id): Turn => ({
      role: "coder",
      match: `Do ${id}.`,
      text: "Written.",
      files: { [isInConflict(id) ? "a.txt" : `${id}.txt`]: `${id}\n` },
      costUsd: 0.1,
    }),
  ),
  { role: "reviewer", match: "Do search.", text: issue("No price is found."), costUsd: 0.1 },
  { role: "reviewer", text: APPROVAL, costUsd: 0.1 },
];

/** What was printed, without what differs each time. */
function steady(text: string): string {
  return text
    .replaceAll(/\b[a-z2-7]{10}\b/gu, "ID")
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d/gu, "TIME")
    .replaceAll(/rm \S+\/limits\/[0-9a-f]{16}\.json/gu, "rm FILE");
}

const MORNING = `shop: 6 of 10 phases landed on nebula/shop, $1.85 spent
  waits    pay: its change is to be approved before it lands
  limited  import: its agent's usage limit ends at TIME
  failed   search: not approved in 1 cycle: No price is found.
  skipped  page: needs "search", which failed
  next     quasar nebula diff pay --nebula ID --landed
           quasar nebula approve pay --nebula ID
           quasar nebula reject pay --nebula ID --reason "…"
           quasar nebula show ID search
           quasar nebula retry search --nebula ID # with an unchanged text it may fail again
           quasar nebula apply ID --auto --resume --wait-limit 5h
           rm FILE # if the limit of scripted is lifted already
`;

test("five lines say what landed, what waits and what it cost, and what follows are commands that work", async () => {
  const at = withDemo(FILES);
  const evening = await quasar(at, applyArgs(at, TURNS));
  expect(evening.code, evening.stderr).toBe(5);
  expect(steady(evening.stdout)).toContain(`\n${MORNING}`);
  const { stdout: morning } = await quasar(at, ["nebula", "status"]);
  expect(steady(morning)).toBe(MORNING);

  const ofLine = (command: string): readonly string[] =>
    new RegExp(`quasar (nebula ${command} .*)`, "u")
      .exec(morning)?.[1]
      ?.replace(/ # .*/u, "")
      .split(" ") ?? [];
  for (const command of ["diff", "approve"]) {
    const done = await quasar(at, ofLine(command));
    expect(done.code, command + done.stderr).toBe(0);
  }
  const resume = ofLine("apply").filter((word) => !/^(?:--wait-limit|\d+h)$/u.test(word));
  const resumed = await quasar(at, [...resume, ...agents(at, TURNS)]);
  expect(resumed.code, resumed.stderr).toBe(75);
  expect(steady(resumed.stdout)).toContain(`
shop: 7 of 10 phases landed on nebula/shop, $1.85 spent
  limited  import: its agent's usage limit ends at TIME
  failed   search: not approved in 1 cycle: No price is found.
  skipped  page: needs "search", which failed
  next     quasar nebula show ID search
           quasar nebula retry search --nebula ID # with an unchanged text it may fail again
           quasar nebula apply ID --auto --resume --wait-limit 5h
           rm FILE # if the limit of scripted is lifted already
`);
  const retried = await quasar(at, ofLine("retry"));
  expect(retried.code, retried.stderr).toBe(0);
});
