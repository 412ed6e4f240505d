import { readFileSync, writeFileSync } from "node:fs";
import { AGENT_PRESETS, type AgentPreset, installCommand, lossesOf } from "@quasar/agents/presets";
import { expect, test } from "vitest";

const FILE = new URL("../../../docs/agents.md", import.meta.url);
const TABLE = /(?<=<!-- agents -->\n)[^]*?(?=<!-- \/agents -->)/u;

/** The table of the document: UPDATE_DOCS=1 writes it. */
function tableOf(presets: readonly AgentPreset[]): string {
  const head = ["agent", "name", "install", "log in", "sessions", "cost", "schema", "reviewer"];
  const rows = presets.map((preset) => {
    const { title, name, login, capabilities, cost, readOnlyBy } = preset;
    const { resumesSession, structuredOutput } = capabilities;
    const remark = login.then === undefined ? "" : ` (then ${login.then})`;
    return [
      ...[title, `\`${name}\``, `\`${installCommand(preset)}\``],
      ...[`\`${login.command}\`${remark}`, resumesSession ? "yes" : "no", cost],
      ...[structuredOutput ? "yes" : "no", readOnlyBy || "nothing"],
    ];
  });
  const losses = presets.flatMap((preset) => {
    const lost = lossesOf(preset);
    return lost.length === 0 ? [] : [`- Of ${preset.title}: ${lost.join("; ")}.`];
  });
  const widths = head.map((name, at) =>
    Math.max(name.length, ...rows.map((row) => row[at]?.length ?? 0)),
  );
  const line = (cells: readonly string[], fill = " ") =>
    `| ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0, fill)).join(" | ")} |`;
  const rule = head.map(() => "-");
  const table = [line(head), line(rule, "-"), ...rows.map((row) => line(row))];
  return ["", ...table, "", ...(losses.length === 0 ? [] : [...losses, ""]), ""].join("\n");
}

test("the document has each agent that is offered, and what it can do", () => {
  const text = readFileSync(FILE, "utf8");
  const expected = text.replace(TABLE, () => tableOf(AGENT_PRESETS));
  if (process.env["UPDATE_DOCS"] === "1") writeFileSync(FILE, expected);
  else expect(text).toBe(expected);
});
