import { join } from "node:path";
// @boundaries-ignore what the stub of the real agents' model answers
import type { ModelTurn } from "../../../../packages/agents/real/model-answer.ts";
// @boundaries-ignore what that stub is asked
import type { ModelRequest } from "../../../../packages/agents/real/model-request.ts";

// A small project, a task, and what a model does for it: the first review asks for a test.

export const FILES: Readonly<Record<string, string>> = {
  "package.json": `{ "name": "shop", "type": "module", "scripts": { "test": "node --test" } }\n`,
  "src/price.js": "export const price = (cents) => (cents / 100).toFixed(2);\n",
  "test/price.test.js": `import assert from "node:assert";
import { test } from "node:test";
import { price } from "../src/price.js";

test("writes cents", () => assert.equal(price(150), "1.50"));
`,
};

export const TASK = "Add total() for a list of prices";

const FINDING = "total() has no test: a list without prices may break it unnoticed.";

const TOTAL = `export const total = (cents) => cents.reduce((sum, one) => sum + one, 0);\n`;
const TEST = `import assert from "node:assert";
import { test } from "node:test";
import { total } from "../src/total.js";

test("adds", () => assert.equal(total([150, 50]), 200));
test("nothing is 0", () => assert.equal(total([]), 0));
`;

/** A second task, which takes one cycle. */
export const SHORT_TASK = "Add less() for a discount";
const LESS = "export const less = (cents, percent) => cents - (cents * percent) / 100;\n";

/** Which turn a request is of. */
export function turnOf({ system, prompts }: ModelRequest): string {
  const asked = `${system}\n${prompts.join("\n")}`;
  const role = asked.includes("You are the reviewer") ? "reviewer" : "coder";
  if (asked.includes(SHORT_TASK)) return `short ${role}`;
  return `${role} ${asked.includes(FINDING) ? 2 : 1}`;
}

/** @param workTree - Where the agents work. */
export function answerOf(request: ModelRequest, workTree: string): ModelTurn {
  const write = (path: string, content: string): ModelTurn => ({
    write: { path: join(workTree, path), content },
  });
  const turns: Readonly<Record<string, readonly ModelTurn[]>> = {
    "coder 1": [
      write("src/total.js", TOTAL),
      { shell: "npm test" },
      { text: "total() adds a list of cents.\n\nCOMMIT: feat: add total()" },
    ],
    "reviewer 1": [{ shell: "git show" }, review("changes_requested", "A test is missing.")],
    "coder 2": [
      write("test/total.test.js", TEST),
      { shell: "npm test" },
      { text: "Two tests hold total().\n\nCOMMIT: test: hold the sum of total()" },
    ],
    "reviewer 2": [{ shell: "git show" }, review("approved", "Two tests hold total().")],
    "short coder": [
      write("src/less.js", LESS),
      { shell: "npm test" },
      { text: "less() takes off a percentage.\n\nCOMMIT: feat: add less()" },
    ],
    "short reviewer": [{ shell: "git show" }, review("approved", "less() does what was asked.")],
  };
  const steps = turns[turnOf(request)] ?? [];
  return { usage: { input: 4000, output: 400 }, ...(steps[request.step] ?? steps.at(-1)) };
}

function review(verdict: "approved" | "changes_requested", summary: string): ModelTurn {
  const isApproved = verdict === "approved";
  return {
    json: {
      verdict,
      findings: isApproved ? [] : [{ severity: "major", description: FINDING }],
      verifications: [],
      report: {
        satisfaction: isApproved ? "high" : "medium",
        risk: "low",
        needs_human_review: false,
        summary,
      },
    },
  };
}
