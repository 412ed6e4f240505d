import { createCodexAgent } from "@quasar/agents";
import { expect, test } from "vitest";
import { turnAllowance } from "../money/money.ts";

/** The budget of a run whose user has named none. */
const DEFAULT_BUDGET_USD = 5;

test.for([undefined, "gpt-5.5", "gpt-6.1-sol", "gpt-5.3-codex"])(
  "the default budget starts a turn that asks %s",
  (model) => {
    const agent = createCodexAgent({ model, env: { CODEX_HOME: "/nonexistent" } });
    const bound = agent.responseBoundUsd?.({
      ...{ runId: "run", turnId: "run.1", role: "coder", access: "write", workTree: "/" },
      ...{ prompt: "x".repeat(8_000), systemPrompt: "You are the coder." },
    });
    const left = { totalCostUsd: 0, maxBudgetUsd: DEFAULT_BUDGET_USD };
    expect(bound).toBeGreaterThan(0);
    expect(2 * (bound ?? Infinity)).toBeLessThanOrEqual(turnAllowance(left, "coder"));
  },
);
