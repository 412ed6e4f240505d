/** The commands that have agents work. They are loaded in one piece: most of what they need is the same. */
export { forkCommand } from "./fork.ts";
export { planCommand } from "./plan.ts";
export { resumeCommand } from "./resume.ts";
export { runCommand } from "./run.ts";
