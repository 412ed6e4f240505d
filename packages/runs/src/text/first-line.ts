import { cleanLine } from "./clean.ts";
import { fit } from "./width.ts";

/** The name of a task: its first line that says something, cleaned and kept short. */
export function firstLine(task: string): string {
  const line = task.split("\n").find((candidate) => candidate.trim() !== "") ?? "";
  return fit(cleanLine(line), 200);
}
