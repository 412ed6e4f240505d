const STEERS =
  /(^|\/)(CLAUDE(\.local)?\.md|AGENTS\.md|\.mcp\.json)$|(^|\/)\.(claude|codex|quasar)(\/|$)/u;

/** Whether agents are instructed or allowed things by the file at this path, wherever it lies. */
export function steersAgents(path: string): boolean {
  return STEERS.test(path);
}
