import { durationMs, sizeBytes } from "./amounts.ts";
import { pathWithin } from "./paths.ts";
import { readTable } from "./read-table.ts";
import { MANIFEST, type Manifest } from "./schema.ts";
import { parseToml } from "./toml.ts";
import type { Execution, NebulaSpec, SpecProblem } from "./types.ts";

export const MANIFEST_FILE = "nebula.toml";

/** All that nebula.toml says, with defaults where it is wrong. */
export type ManifestSpec = Omit<NebulaSpec, "phases">;

/** Reads nebula.toml. */
export function readManifest(text: string): {
  readonly manifest: ManifestSpec;
  readonly problems: readonly SpecProblem[];
} {
  const parsed = text.startsWith("\uFEFF")
    ? { why: "begins with a byte order mark: save it without one" }
    : parseToml(text);
  const { value, found } = readTable(MANIFEST, "table" in parsed ? parsed.table : {});
  const file = MANIFEST_FILE;
  const problems: readonly SpecProblem[] =
    "table" in parsed
      ? found.map((problem) => ({ ...problem, file }))
      : [{ category: "syntax", severity: "error", file, message: `${file} ${parsed.why}` }];
  return { manifest: manifestOf(value), problems };
}

function manifestOf({
  nebula,
  defaults,
  execution,
  context,
  dependencies,
}: Manifest): ManifestSpec {
  return {
    ...nebula,
    defaults,
    execution: executionOf(execution),
    context: {
      repo: context.repo,
      workingDir: pathWithin(context.working_dir) ?? ".",
      goals: context.goals,
      constraints: context.constraints,
    },
    dependencies: {
      requiresBeads: dependencies.requires_beads,
      requiresNebulae: dependencies.requires_nebulae,
    },
  };
}

const DEFAULT_HAIL_TIMEOUT = "5m";
const DEFAULT_REWORK_HOLD = "1h";
const DEFAULT_TIMEOUT = "2h";

function executionOf(says: Manifest["execution"]): Execution {
  return {
    maxWorkers: saidNumber(says.max_workers),
    maxReviewCycles: saidNumber(says.max_review_cycles),
    maxBudgetUsd: saidNumber(says.max_budget_usd),
    totalBudgetUsd: saidNumber(says.total_budget_usd),
    maxContextTokens: says.max_context_tokens,
    model: saidText(says.model),
    gate: says.gate === "" ? "trust" : says.gate,
    hailTimeoutMs: durationMs(saidText(says.hail_timeout) ?? DEFAULT_HAIL_TIMEOUT),
    autoDecompose: says.auto_decompose,
    routing: {
      enabled: says.routing.enabled,
      tiers: says.routing.tiers.map(({ name, model, max_score }) => ({
        name,
        model,
        maxScore: max_score,
      })),
    },
    setup: says.setup,
    setupInputs: says.setup_inputs.length === 0 ? undefined : says.setup_inputs,
    copy: says.copy,
    verify: says.verify,
    verifyRetries: says.verify_retries,
    verifyClean: says.verify_clean,
    mergeOrder: says.merge_order,
    maxReworks: says.max_reworks,
    reworkHoldMs: durationMs(saidText(says.rework_hold) ?? DEFAULT_REWORK_HOLD),
    scopePolicy: says.scope_policy,
    minFreeBytes: sizeBytes(says.min_free),
    timeoutMs: saidNumber(durationMs(says.timeout)) ?? durationMs(DEFAULT_TIMEOUT),
    coder: saidText(says.coder),
    reviewer: saidText(says.reviewer),
    checks: says.checks,
  };
}

/** A value that says something, as the Go original has it: an empty text does not. */
export function saidText<T extends string>(value: T | ""): T | undefined {
  return value === "" ? undefined : value;
}

/** The same of a number: 0 does not. */
export function saidNumber(value: number): number | undefined {
  return value === 0 ? undefined : value;
}
