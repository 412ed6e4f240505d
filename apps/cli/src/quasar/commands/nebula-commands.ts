export { nebulaAnswerCommand } from "./nebula-answer.ts";
export { nebulaApplyCommand } from "./nebula-apply.ts";
export { nebulaDiffCommand } from "./nebula-diff.ts";
export { nebulaLogCommand } from "./nebula-log.ts";
export { nebulaPlanCommand } from "./nebula-plan.ts";
export { nebulaStopCommand } from "./nebula-stop.ts";
export { nebulaValidateCommand } from "./nebula-validate.ts";
export { nebulaStatusCommand } from "./nebula-status.ts";
