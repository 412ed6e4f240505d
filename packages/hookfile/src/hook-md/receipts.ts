import type { OutputVerdict, ValidationReceipt, Verdict } from "@quasar/receipts";
import { HOOK_MD_COMMANDS } from "./commands.ts";
import {
  command,
  fenceOf,
  heading,
  LINE_LENGTH,
  paragraph,
  type Phrase,
  type Phrases,
  quoted,
  type Section,
  table,
} from "./nodes.ts";
import { visibleLine } from "./text.ts";
import type { HookFile, StepRecord } from "../store/hook-file.ts";
import { isDone } from "../transitions/steps.ts";

/** What verification found for each receipt, by its id. One that is missing was not verified here. */
export type Verdicts = ReadonlyMap<string, Verdict>;

const MOST_RECEIPTS = 10;
const MOST_IN_A_CELL = 3;
const COMMAND_LENGTH = 1_000;

export function completedSteps(hook: HookFile, verdicts: Verdicts): Section {
  const rows = hook.steps.flatMap((step, index) =>
    isDone(step) ? [rowOf(step, index + 1, hook, verdicts)] : [],
  );
  return [
    heading(2, "Completed Steps (DO NOT REPEAT)"),
    rows.length === 0
      ? paragraph("None yet.")
      : table(["Step", "Status", "Duration", "Receipt"], rows),
  ];
}

function rowOf(
  step: StepRecord,
  number: number,
  hook: HookFile,
  verdicts: Verdicts,
): readonly Phrases[] {
  const status: Phrases =
    step.status === "completed"
      ? ["✅ Completed"]
      : ["⏭ Skipped: ", quoted(step.note ?? "no reason recorded", LINE_LENGTH.cell)];
  return [
    [`${number}. `, quoted(step.name)],
    status,
    [step.durationMs === undefined ? "—" : durationOf(step.durationMs)],
    receiptsOf(step, hook, verdicts),
  ];
}

function receiptsOf(step: StepRecord, hook: HookFile, verdicts: Verdicts): Phrases {
  if (step.receiptIds.length === 0) return ["—"];
  const newestFirst = step.receiptIds.toReversed();
  const marks = newestFirst.slice(0, MOST_IN_A_CELL).flatMap((id, index): Phrase[] => {
    const receipt = hook.receipts.find((one) => one.receiptId === id);
    const mark = ` ${markOf(verdicts.get(id), receipt)}`;
    return index === 0 ? [quoted(id), mark] : [", ", quoted(id), mark];
  });
  const rest = newestFirst.length - MOST_IN_A_CELL;
  return rest > 0 ? [...marks, ` and ${rest} more`] : marks;
}

/** `✓` is kept for what is verified and whose command succeeded. */
function markOf(verdict: Verdict | undefined, receipt: ValidationReceipt | undefined): string {
  if (verdict?.kind === "invalid") return "✗";
  if (verdict?.kind !== "valid" || receipt === undefined) return "?";
  if (verdict.output === "modified") return "✗ (output modified)";
  return receipt.exitCode === 0 ? "✓" : `✓ (exit code ${receipt.exitCode})`;
}

/** `45s`, `12.3s`, `2m 5s`, `1h 0m`. */
function durationOf(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)}ms`;
  if (ms < 60_000) return `${Math.floor(ms / 100) / 10}s`;
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 60) return `${minutes}m ${Math.floor((ms % 60_000) / 1_000)}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

export function validationReceipts(
  hook: HookFile,
  verdicts: Verdicts,
  problems: readonly string[] = [],
): Section {
  const shown = hook.receipts.slice(-MOST_RECEIPTS);
  const earlier = Math.max(hook.counts.receipts, hook.receipts.length) - shown.length;
  const broken = problems.length === 0 ? [] : brokenChain(problems);
  if (shown.length === 0) {
    return [
      heading(2, "Validation Receipts"),
      ...broken,
      ...(broken.length === 0 ? [paragraph("None yet.")] : []),
    ];
  }
  return [
    heading(2, "Validation Receipts"),
    ...broken,
    paragraph(
      "These receipts are cryptographically signed and prove validation actually ran, if they are VALID and nobody else could read the key:",
    ),
    ...(earlier > 0
      ? [
          paragraph(
            `The newest ${shown.length}; for the ${earlier} before them run `,
            command(HOOK_MD_COMMANDS.export),
            ".",
          ),
        ]
      : []),
    ...shown.flatMap((receipt) => oneReceipt(receipt, verdicts.get(receipt.receiptId))),
  ];
}

/** What counts against all of them comes before any of them. */
function brokenChain(problems: readonly string[]): Section {
  return [
    paragraph(
      "The receipts below are not all that were signed, or not as they were signed. Tell a person, and do not rely on them:",
    ),
    fenceOf(
      problems.slice(0, MOST_RECEIPTS).map((one) => `> ${visibleLine(one, LINE_LENGTH.text)}`),
    ),
  ];
}

function oneReceipt(receipt: ValidationReceipt, verdict: Verdict | undefined): Section {
  return [
    heading(3, "Receipt ", quoted(receipt.receiptId), " (", quoted(receipt.stepName), " step)"),
    fenceOf([
      `Command: ${visibleLine(receipt.command, COMMAND_LENGTH)}`,
      `Exit Code: ${receipt.exitCode}`,
      `Duration: ${visibleLine(receipt.duration, LINE_LENGTH.name)}`,
      `Output Hash: sha256:${visibleLine(receipt.stdoutHash, LINE_LENGTH.name)}`,
      `Output: ${OUTPUTS[verdict?.output ?? "unchecked"]}`,
      `Signature: ${signatureLine(receipt, verdict)}`,
    ]),
  ];
}

const OUTPUTS: Readonly<Record<OutputVerdict, string>> = {
  matches: "MATCHES the hash",
  modified: "MODIFIED since it was hashed",
  missing: "MISSING, only its hash is left",
  unchecked: "not checked here",
};

function signatureLine(receipt: ValidationReceipt, verdict: Verdict | undefined): string {
  const path = visibleLine(receipt.keyPath, LINE_LENGTH.name);
  switch (verdict?.kind) {
    case undefined:
      return "not verified here";
    case "valid":
      return verdict.coverage === "full"
        ? `VALID ✓ (verified with HD key ${path})`
        : `VALID ✓ for part of the fields (verified with HD key ${path})`;
    case "invalid":
      return `INVALID ✗ (${visibleLine(verdict.reason, LINE_LENGTH.text)})`;
    case "unverifiable":
      return `UNVERIFIABLE (${visibleLine(verdict.reason, LINE_LENGTH.text)}; signed with key ${visibleLine(verdict.signedBy, LINE_LENGTH.name)})`;
  }
}
