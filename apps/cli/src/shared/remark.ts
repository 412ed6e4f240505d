/** What stands between a command and what explains it: a shell takes the rest of the line for a comment. */
export const REMARK = "   # ";

/** A command with what it is for. */
export function withRemark(command: string, remark: string): string {
  return `${command}${REMARK}${remark}`;
}
