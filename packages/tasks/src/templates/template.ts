import type { StepRecord, StepType } from "@quasar/hookfile";
import type { GIT_ACTIONS } from "./step-kinds.ts";

/** The steps that a kind of task goes through. */
export interface Template {
  /** What is stored: `bugfix`. */
  readonly id: string;
  /** Other names that a person may give: `bug`, `fix`. */
  readonly aliases: readonly string[];
  /** One line for a person. */
  readonly description: string;
  /** Of the task's branch: `fix` gives `fix/<workspace>`. */
  readonly branchPrefix: string;
  /** Works in the work tree that it is started in, on its branch: it is about what lies there. @default false */
  readonly here?: boolean | undefined;
  /** At least one, no two of one name. */
  readonly steps: readonly TemplateStep[];
  /** By name: what `{{name}}` stands for in the prompts. `description` is always there. */
  readonly variables: Readonly<Record<string, TemplateVariable>>;
}

export interface TemplateVariable {
  readonly description: string;
  /** `undefined`: it has to be given. */
  readonly default?: string | undefined;
}

export interface TemplateStep {
  readonly name: string;
  readonly type: StepType;
  /** One line for a person. */
  readonly description: string;
  /** Of a `git` step. */
  readonly action?: GitAction | undefined;
  /**
   * `ai`, `loop`: what the agent is asked; `verify`: what it looks for; `human`: what a person is asked.
   * Variables are filled in already in a task's own copy.
   */
  readonly prompt?: string | undefined;
  /** Of an `ai` step: whether its agent may change files. @default "read" */
  readonly access?: "read" | "write" | undefined;
  /** How often it is tried before a person is asked. */
  readonly maxAttempts: number;
  /** Milliseconds an attempt may take. @default the agents' and commands' own limits */
  readonly timeoutMs?: number | undefined;
  readonly recovery: StepRecord["recovery"];
  /** Where a reject goes: an earlier step, or its own. @default as the hook file's */
  readonly onReject?: string | undefined;
}

export type GitAction = (typeof GIT_ACTIONS)[number];
