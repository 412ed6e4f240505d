import type { StepType } from "@quasar/hookfile";
import { workOnStep } from "../runs/work-on-step.ts";
import { aiStep } from "./ai.ts";
import { createCiStep } from "./ci.ts";
import { gitStep } from "./git.ts";
import { loopStep } from "./loop.ts";
import type { StepExecutor } from "./step.ts";
import { createValidationStep } from "./validation.ts";
import { createVerifyStep } from "./verify.ts";

/** Who does a step, by its type. A person does the others. */
export const EXECUTORS: Readonly<Record<Exclude<StepType, "human">, StepExecutor>> = {
  ai: aiStep,
  loop: loopStep,
  validation: createValidationStep({ workOnStep }),
  git: gitStep,
  verify: createVerifyStep({ workOnStep }),
  ci: createCiStep(),
};
