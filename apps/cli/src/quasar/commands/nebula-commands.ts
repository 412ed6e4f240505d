export { nebulaApplyCommand } from "./nebula-apply.ts";
export { nebulaPlanCommand } from "./nebula-plan.ts";
export { nebulaValidateCommand } from "./nebula-validate.ts";
