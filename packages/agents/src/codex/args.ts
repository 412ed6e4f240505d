import type { AgentRequest } from "@quasar/loop";

export interface CodexArgsOptions {
  /** @default Codex's own choice */
  readonly model?: string | undefined;
}

/**
 * Codex's arguments for a turn. `exec resume` has no `--sandbox`; an id stands behind `--`, where it
 * cannot be an option.
 *
 * @see SPEC.md, "Codex"
 */
export function codexArgs(
  { access, resumesSession, sessionId }: AgentRequest,
  { model }: CodexArgsOptions,
  schemaFile: string | undefined,
): string[] {
  const sandbox = access === "read" ? "read-only" : "workspace-write";
  const common = [
    "--skip-git-repo-check",
    ...(model === undefined ? [] : ["--model", model]),
    ...(schemaFile === undefined ? [] : ["--output-schema", schemaFile]),
  ];
  return resumesSession && sessionId !== undefined
    ? [
        ...["exec", "resume", "--json", "-c", `sandbox_mode="${sandbox}"`],
        ...[...common, "--", sessionId, "-"],
      ]
    : ["exec", "--json", "--sandbox", sandbox, ...common, "-"];
}
