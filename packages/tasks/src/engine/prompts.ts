import type { StepRecord, StepType } from "@quasar/hookfile";
import { inputOf, type Session } from "./session.ts";

/** Types of steps whose agents are asked something. */
export const ASKING: readonly StepType[] = ["ai", "loop", "verify"];

/** What is asked in an attempt that is to begin: of agents or of a person; `""`: nothing. */
export function promptOf(session: Session, step: StepRecord, hook = session.hook()): string {
  const input = inputOf(session, step, hook);
  if (ASKING.includes(step.type)) return session.parts.promptOf(input);
  const { prompt, description } = input.definition;
  return step.type === "human" ? (prompt ?? description) : "";
}

/** What a hook file takes of a prompt, in bytes. */
const LONGEST = 16 * 1024;

/**
 * What the hook file says of a prompt: all of it, or its beginning and the artifact that has it whole,
 * which is there first.
 */
export function recordPrompt(
  { parts, taskDir }: Pick<Session, "parts" | "taskDir">,
  asked: { readonly step: string; readonly attempt: number; readonly prompt: string },
): string {
  const { step, attempt, prompt } = asked;
  if (Buffer.byteLength(prompt) <= LONGEST) return prompt;
  const path = parts.files.saveArtifact(taskDir, artifactOf(step, attempt), prompt);
  const where = `\n…\n(The whole prompt is in artifacts/${path}.)\n`;
  return `${beginning(prompt, LONGEST - Buffer.byteLength(where))}${where}`;
}

/** As many whole characters as fit. */
function beginning(text: string, bytes: number): string {
  const cut = Buffer.from(text.toWellFormed()).subarray(0, bytes);
  return new TextDecoder().decode(cut, { stream: true });
}

/** The prompt of the attempt that is under way. */
export function wholePrompt({ parts, taskDir, hook }: Session): string {
  const { currentStep } = hook();
  if (currentStep === undefined) return "";
  const { stepName, attempt, prompt } = currentStep;
  return parts.files.readArtifact(taskDir, artifactOf(stepName, attempt)) ?? prompt;
}

/** Each attempt has a number of its own, so none finds another's. */
function artifactOf(step: string, attempt: number): string {
  return `prompts/${step}-${attempt}.md`;
}
