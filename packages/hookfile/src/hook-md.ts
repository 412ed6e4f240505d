import type { Verdict } from "@quasar/receipts";
import type { HookFile } from "./hook-file.ts";

/** What HOOK.md says that hook.json does not. */
export interface HookMdFacts {
  readonly dir: string;
  readonly version: string;
}

export function renderHookMd(
  hook: HookFile,
  _verdicts: ReadonlyMap<string, Verdict>,
  _facts: HookMdFacts,
): string {
  return `# ATLAS Task Recovery Hook\n\n## Current State: \`${hook.state}\`\n\n<!-- hook rev=${hook.revision} -->\n`;
}
