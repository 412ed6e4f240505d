import { cleanLine, fit } from "@quasar/runs/text";
import type { AgentSettings } from "../agents.ts";
import { readSpec } from "../config/agent-spec.ts";

const LIMITS = "a convenience, not a sandbox (docs/trust.md)";

/** What the coder may do, in a line. @param commands - The checks that a person named. */
export function allowedWords(
  {
    coder,
    ownAgents,
    sandbox,
    allowedTools,
  }: Pick<AgentSettings, "coder" | "ownAgents" | "sandbox" | "allowedTools">,
  commands: readonly string[],
): string {
  const spec = readSpec(coder, ownAgents);
  const kind = spec?.kind === "preset" ? spec.preset.route.kind : spec?.kind;
  switch (kind) {
    case "claude":
    case "opencode":
    case "qwen":
    case "acp": {
      const what = ["edits", ...commands, ...allowedTools].map((one) => fit(cleanLine(one), 60));
      const asks = spec?.kind === "acp" ? "of what it asks for, " : "";
      return `coder: ${asks}${what.join(", ")}; ${LIMITS}`;
    }
    case "codex":
      return `coder: what its ${sandbox} sandbox lets it do (docs/trust.md)`;
    default:
      return "coder: whatever its program does (docs/trust.md)";
  }
}
