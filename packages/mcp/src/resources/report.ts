import type { RunFacts } from "@quasar/runs/facts";
import { money } from "@quasar/runs/text";
import { quoted } from "../untrusted/quoted.ts";

/** A run in Markdown: its figures, and the texts of others quoted. */
export function reportMd(run: RunFacts): string {
  const { id, status, cycle, maxCycles, findings, commits, turns, verdict } = run;
  const { spentUsd, maxUsd } = run.money;
  const limit = maxUsd === 0 ? "no limit" : `of ${money(maxUsd)}`;
  const figures = [
    `- status: ${status}`,
    `- cycle: ${cycle} of ${maxCycles}`,
    `- cost: ${money(spentUsd)}, ${limit}`,
    `- turns: ${turns.length}`,
    `- commits: ${commits.map(({ sha }) => sha.slice(0, 10)).join(", ") || "none"}`,
  ];
  const texts = [
    section("Task", run.task, `task of run ${id}`),
    section("Why it stopped", run.reason, `run ${id}`),
    section("Verdict", verdict?.summary ?? "", `reviewer of run ${id}`),
    section(
      "Findings",
      findings
        .map((each) => `${each.id} ${each.severity} ${each.status}: ${each.description}`)
        .join("\n"),
      `reviewer of run ${id}`,
    ),
  ];
  return [`# Run ${id}`, "", ...figures, "", ...texts.flat()].join("\n");
}

function section(title: string, text: string, origin: string): readonly string[] {
  return text === ""
    ? []
    : [`## ${title}`, "", "```text", quoted(text, origin).trimEnd(), "```", ""];
}
