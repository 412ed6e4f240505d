import type { ProjectContext } from "./types.ts";

/** What a phase's agents are asked to do: its body, after what the nebula says of the project. */
export function promptOf(
  { goals, constraints }: Pick<ProjectContext, "goals" | "constraints">,
  body: string,
): string {
  const listed = (title: string, entries: readonly string[]): string =>
    entries.length === 0 ? "" : `${title}:\n${entries.map((entry) => `- ${entry}\n`).join("")}`;
  const context = listed("Goals", goals) + listed("Constraints", constraints);
  return context === "" ? body : `PROJECT CONTEXT:\n${context}\nPHASE:\n${body}`;
}
