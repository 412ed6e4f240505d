/** Every command that HOOK.md names, as it writes it. They are the whole of what it asks `atlas` for. */
export const HOOK_MD_COMMANDS = {
  /** Drives the task on from any working state; where another process drives it, changes nothing. */
  resume: "atlas resume",
  /** Runs the validation commands and signs what came of them. */
  validate: "atlas validate",
  /** Ends a step that an agent has worked on without a runner. */
  stepDone: 'atlas step done --summary "what you did"',
  approve: "atlas approve",
  reject: 'atlas reject --feedback "what is wrong"',
  rejectFinal: "atlas reject --final",
  retry: "atlas retry",
  skip: 'atlas skip --reason "why"',
  recover: "atlas recover",
  status: "atlas status",
  abandon: "atlas abandon",
  /** Prints the HOOK.md of the work tree's active task, never a stale one. */
  context: "atlas hook context",
  checkpoints: "atlas hook checkpoints",
  export: "atlas hook export --format json",
  acknowledge: "atlas hook acknowledge",
} as const;
