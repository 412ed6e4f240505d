import { reduceLineOf } from "../claude/reduce.ts";
import { QWEN } from "./dialect.ts";

/** What of a line of Qwen Code's decides, in its own words. `undefined`: nothing of it does. */
export function reduceQwenLine(line: string): string | undefined {
  return QWEN.parse(line)?.type === "system" ? line : reduceLineOf(QWEN, line);
}
