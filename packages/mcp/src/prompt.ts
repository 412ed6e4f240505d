import type { McpServer } from "@modelcontextprotocol/server";
import * as z from "zod/v4";

/** Makes the way to a good nebula a prompt of a server. */
export function registerPrompt(server: McpServer): void {
  const argsSchema = z.strictObject({
    goal: z.string().min(1).max(20_000).describe("What the nebula is to achieve"),
    dir: z.string().max(4096).optional().describe("Its folder; default: nebulae/<name>"),
  });
  const description =
    "Write a nebula for this goal: phases with dependencies, checked until they are valid";
  const config = { title: "Write a nebula for this goal", description, argsSchema };
  server.registerPrompt("write_nebula", config, ({ goal, dir }) => ({
    description,
    messages: [{ role: "user", content: { type: "text", text: promptText(goal, dir) } }],
  }));
}

function promptText(goal: string, dir: string | undefined): string {
  return [
    "Write a nebula for the goal below: a folder with nebula.toml and one Markdown file for each phase.",
    "",
    "1. Read the parts of the repository that the goal touches.",
    "2. Cut the work into phases that one coder can finish and one reviewer can judge in a sitting. Phases that need",
    "   nothing of each other run in parallel: give each the files that it may change (scope), without overlap.",
    "3. Each file begins with front matter between +++ lines: id, title, depends_on, scope. Its body says what to do,",
    "   what not to do, and how to see that it is done.",
    "4. Call nebula_validate with the files until it reports no problem.",
    `5. Write the files into ${dir ?? "nebulae/<name>"}, call nebula_plan, and show the person the plan and its cost.`,
    "   Do not apply it: a person does.",
    "",
    "The goal:",
    goal,
  ].join("\n");
}
