import type { AgentRequest } from "../agent.ts";

export interface CodexArgsOptions {
  /** @default Codex's own choice */
  readonly model?: string | undefined;
  /** Of turns that write; a turn that only reads has `read-only`. @default "workspace-write" */
  readonly sandbox?: CodexSandbox | undefined;
  /** Whether the user's own hooks, and the program that is told of a turn's end, run. @default true */
  readonly userHooks?: boolean | undefined;
  /** More arguments for turns that write; a turn that only reads has none. @default none */
  readonly args?: readonly string[] | undefined;
}

/** How far Codex's commands reach, in its own words. */
export type CodexSandbox = "read-only" | "workspace-write" | "danger-full-access";

/** The repository's conventions are in the prompt, as they were when the run began. */
const OWN_DOCUMENTS = ["-c", "project_doc_max_bytes=0"];

const NO_HOOKS = ["-c", "features.hooks=false", "-c", "notify=[]"];

/**
 * Codex's arguments for a turn. `exec resume` has no `--sandbox`; an id stands behind `--`, where it
 * cannot be an option.
 *
 * @see SPEC.md, "Codex"
 */
export function codexArgs(
  { access, resumesSession, sessionId }: AgentRequest,
  { model, sandbox: forWriting = "workspace-write", userHooks = true, args = [] }: CodexArgsOptions,
  schemaFile: string | undefined,
): string[] {
  const sandbox = access === "read" ? "read-only" : forWriting;
  const common = [
    "--skip-git-repo-check",
    ...OWN_DOCUMENTS,
    ...(userHooks ? [] : NO_HOOKS),
    ...(access === "read" ? [] : args),
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
