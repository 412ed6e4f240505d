/** By which agents are instructed, wherever these lie. */
const FILES: ReadonlySet<string> = new Set([
  ...["CLAUDE.md", "CLAUDE.local.md", "AGENTS.md", "GEMINI.md", "QWEN.md"],
  ...[".mcp.json", "opencode.json", "opencode.jsonc", "copilot-instructions.md"],
]);
/** By whose files they are instructed, or allowed things. */
const FOLDERS: ReadonlySet<string> = new Set([
  ".claude",
  ".codex",
  ".gemini",
  ".opencode",
  ".quasar",
  ".qwen",
]);

/** Whether agents are instructed or allowed things by the file at this path, wherever it lies. */
export function steersAgents(path: string): boolean {
  const parts = path.split("/");
  return (
    FILES.has(parts.at(-1) ?? "") ||
    parts.some((part) => FOLDERS.has(part)) ||
    // Programs that Copilot runs.
    /(^|\/)\.github\/hooks(\/|$)/u.test(path)
  );
}
