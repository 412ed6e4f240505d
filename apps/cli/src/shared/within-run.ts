/**
 * Whether an agent, or a command that a run has started, has started this: what a person decides it does not decide. It can
 * take that mark off.
 */
export function isWithinRun(): boolean {
  return process.env["QUASAR_RUN_ID"] !== undefined;
}
