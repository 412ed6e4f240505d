import { stringify } from "smol-toml";
import { durationMs, durationText } from "./amounts.ts";
import { saidNumber, saidText } from "./manifest.ts";
import { readTable } from "./read-table.ts";
import { FRONT_MATTER, type FrontMatter } from "./schema.ts";
import { parseToml } from "./toml.ts";
import type { PhaseFile, SpecProblem } from "./types.ts";

/** What a Markdown file is to a nebula. */
export interface ReadPhase {
  /** `undefined`: it is none, or cannot be read as one. */
  readonly phase: PhaseFile | undefined;
  readonly problems: readonly SpecProblem[];
}

/**
 * Reads a phase's file: front matter in TOML between two lines `+++`, and what to do in Markdown. A file without front
 * matter is a note.
 */
export function readPhaseFile(file: string, text: string): ReadPhase {
  const { why, ...split } = splitFile(text);
  if (why === NOTE) return { phase: undefined, problems: [problem("not_a_phase", "warning", why)] };
  if (why !== "") return { phase: undefined, problems: [problem("syntax", "error", why)] };
  const parsed = parseToml(split.frontMatter);
  if ("why" in parsed)
    return { phase: undefined, problems: [problem("syntax", "error", parsed.why)] };
  const { value, found } = readTable(FRONT_MATTER, parsed.table);
  const about = value.id === "" ? { file } : { file, phaseId: value.id };
  return {
    phase: phaseOf(file, value, split.body.trim()),
    problems: found.map((each) => ({ ...each, ...about })),
  };

  function problem(
    category: SpecProblem["category"],
    severity: SpecProblem["severity"],
    is: string,
  ): SpecProblem {
    return { category, severity, file, message: `${file} ${is}` };
  }
}

interface SplitFile {
  /** With as many lines before it as in the file. */
  readonly frontMatter: string;
  readonly body: string;
  /** `""`: nothing is wrong. */
  readonly why: string;
}

const NOTE = "has no front matter: it is a note, not a phase";
const OPENING = /^([ \t\r\n]*)\+\+\+\r?\n/;
const CLOSING = /(?:^|\r?\n)\+\+\+\r?(?:\n|$)/;

function splitFile(text: string): SplitFile {
  const [opening, before = ""] = OPENING.exec(text) ?? [];
  if (opening === undefined) return { frontMatter: "", body: "", why: whyNotOpened(text) };
  const rest = text.slice(opening.length);
  const closing = CLOSING.exec(rest);
  if (closing === null) {
    return { frontMatter: "", body: "", why: "has no second line +++ to end its front matter" };
  }
  const lines = `${before.replaceAll(/[^\n]/g, "")}\n`;
  const body = rest.slice(closing.index + closing[0].length);
  return { frontMatter: lines + rest.slice(0, closing.index), body, why: "" };
}

function whyNotOpened(text: string): string {
  if (text.startsWith("\uFEFF")) return "begins with a byte order mark: save it without one";
  return text.trimStart().startsWith("+++") ? "has more than +++ in its first line" : NOTE;
}

function phaseOf(file: string, says: FrontMatter, body: string): PhaseFile {
  return {
    id: says.id,
    file,
    title: says.title,
    type: says.type,
    priority: says.priority,
    labels: says.labels,
    assignee: says.assignee,
    dependsOn: says.depends_on,
    blocks: says.blocks,
    maxReviewCycles: saidNumber(says.max_review_cycles),
    maxBudgetUsd: saidNumber(says.max_budget_usd),
    model: saidText(says.model),
    gate: saidText(says.gate),
    scope: says.scope,
    allowScopeOverlap: says.allow_scope_overlap,
    checks: says.checks,
    coder: saidText(says.coder),
    reviewer: saidText(says.reviewer),
    timeoutMs: saidNumber(durationMs(says.timeout)),
    setup: says.setup,
    decomposed: says.decomposed,
    autoDecompose: says.auto_decompose,
    body,
  };
}

/**
 * The file of a phase, which {@link readPhaseFile} reads back as it was. Keys that say nothing are left out; the Go original
 * reads the others, and passes over those that it does not know.
 */
export function encodePhaseFile(phase: PhaseFile): string {
  const { maxReviewCycles = 0, maxBudgetUsd = 0, model = "", gate = "" } = phase;
  const { coder = "", reviewer = "", timeoutMs = 0 } = phase;
  const all: Partial<FrontMatter> = {
    id: phase.id,
    title: phase.title,
    type: phase.type,
    priority: phase.priority,
    depends_on: [...phase.dependsOn],
    labels: [...phase.labels],
    assignee: phase.assignee,
    max_review_cycles: maxReviewCycles,
    max_budget_usd: maxBudgetUsd,
    model,
    gate,
    blocks: [...phase.blocks],
    scope: [...phase.scope],
    allow_scope_overlap: phase.allowScopeOverlap,
    checks: [...phase.checks],
    coder,
    reviewer,
    timeout: timeoutMs === 0 ? "" : durationText(timeoutMs),
    decomposed: phase.decomposed,
  };
  const said = Object.entries(all).filter(([, value]) => !saysNothing(value));
  const { setup, autoDecompose } = phase;
  const table = {
    ...Object.fromEntries(said),
    ...(setup !== undefined && { setup: [...setup] }),
    ...(autoDecompose !== undefined && { auto_decompose: autoDecompose }),
  };
  const body = phase.body.trim();
  return `+++\n${stringify(table).trimEnd()}\n+++\n${body === "" ? "" : `\n${body}\n`}`;
}

function saysNothing(value: unknown): boolean {
  const nothing: readonly unknown[] = ["", 0, false];
  return nothing.includes(value) || (Array.isArray(value) && value.length === 0);
}
