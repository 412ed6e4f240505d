import { globSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

// A nebula of three phases in the shop, and what its agents do: they are scripted, and their turns take a while.

export const DIR = ".nebulas/shop";

/** What the first phase writes in the first half of its turn. */
const FIRST = "src/total.js";
const TOTAL = "export const total = (cents) => cents.reduce((sum, one) => sum + one, 0);\n";

const phase = (id: string, title: string, keys: string, body: string): string =>
  `+++\nid = "${id}"\ntitle = "${title}"\n${keys}\n+++\n\n${body}\n`;

const FILES: Readonly<Record<string, string>> = {
  "nebula.toml": `[nebula]
name = "shop"

[execution]
total_budget_usd = 10
min_free = "64MB"
verify = ["npm test"]
`,
  "01-total.md": phase("total", "Add total()", 'scope = ["src/total.js"]', "Write total()."),
  "02-less.md": phase(
    "less",
    "Add less() for a discount",
    'scope = ["src/less.js"]\ndepends_on = ["total"]\ngate = "review"',
    "Write less().",
  ),
  "03-page.md": phase(
    "page",
    "Describe the shop",
    'scope = ["README.md"]\ndepends_on = ["less"]',
    "Write README.md.",
  ),
};

const TURNS = [
  {
    role: "coder",
    match: String.raw`Write total\(\)`,
    says: [{ text: "Writing src/total.js", files: { [FIRST]: TOTAL } }, "Running npm test"],
    text: "total() adds a list of cents.\n\nCOMMIT: feat: add total()",
    costUsd: 0.07,
    delayMs: 20_000,
  },
  {
    role: "coder",
    match: String.raw`Write less\(\)`,
    files: {
      "src/less.js": "export const less = (cents, percent) => cents - (cents * percent) / 100;\n",
    },
    text: "less() takes off a percentage.\n\nCOMMIT: feat: add less()",
    costUsd: 0.05,
  },
  {
    role: "coder",
    match: "Write README",
    files: { "README.md": "# Shop\n" },
    text: "README.md describes the shop.\n\nCOMMIT: docs: describe the shop",
    costUsd: 0.03,
  },
  { role: "reviewer", text: "APPROVED: it is what was asked for.", costUsd: 0.02 },
];

/** Puts the nebula into a repository, and has its user's settings name the scripted agents. */
export function writeNebula(repo: string, home: string): void {
  const script = join(home, "script.json");
  const settings = `coder = "scripted:${script}"\nreviewer = "scripted:${script}"\n`;
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const [name, text] of Object.entries(FILES)) write(join(repo, DIR, name), text);
  write(script, JSON.stringify({ turns: TURNS }));
  write(join(home, ".config/quasar/config.toml"), settings);
}

/** Resolves in the middle of the first phase's turn. */
export async function firstPhaseWorks(repo: string): Promise<void> {
  const written = join(`${repo}/../.shop.quasar/*/p1-*`, FIRST);
  while (globSync(written).length === 0) await sleep(50);
}
