import { presetOf } from "@quasar/agents/presets";
import { cleanLine, fit } from "@quasar/runs/text";
import type { AgentSettings } from "../agents.ts";

const LIMITS = "a convenience, not a sandbox (docs/trust.md)";

/** What the coder may do, in a line. @param commands - The checks that a person named. */
export function allowedWords(
  { coder, sandbox, allowedTools }: Pick<AgentSettings, "coder" | "sandbox" | "allowedTools">,
  commands: readonly string[],
): string {
  switch (presetOf(coder)?.route.kind) {
    case "claude": {
      const what = ["edits", ...commands, ...allowedTools].map((one) => fit(cleanLine(one), 60));
      return `coder: ${what.join(", ")}; ${LIMITS}`;
    }
    case "codex":
      return `coder: what its ${sandbox} sandbox lets it do (docs/trust.md)`;
    default:
      return "coder: whatever its program does (docs/trust.md)";
  }
}
