import { createEnvFileRedactor, type Redactor } from "@quasar/agents/environment";
import type { LookPorts } from "./steps/step.ts";

/** Takes secrets out of what leaves the machine: the values of the work tree's `.env*` files, too. */
export function outgoing({ redact }: Pick<LookPorts, "redact">, worktree: string): Redactor {
  const redactFiles = createEnvFileRedactor(worktree);
  return (text) => redactFiles(redact(text));
}
