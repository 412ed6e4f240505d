export { forkCommand } from "./fork.ts";
export { planCommand } from "./plan.ts";
export { resumeCommand } from "./resume.ts";
export { runCommand } from "./run.ts";
