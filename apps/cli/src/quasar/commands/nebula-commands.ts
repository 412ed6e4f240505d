export {
  nebulaAnswerCommand,
  nebulaPlanDecisionCommand,
  nebulaQuestionCommand,
} from "./nebula-answer.ts";
export { nebulaApplyCommand } from "./nebula-apply.ts";
export { nebulaDiffCommand } from "./nebula-diff.ts";
export { nebulaGenerateCommand } from "./nebula-generate.ts";
export { nebulaLandCommand } from "./nebula-land.ts";
export { nebulaLogCommand } from "./nebula-log.ts";
export { nebulaContinueCommand, nebulaPauseCommand } from "./nebula-pause.ts";
export { nebulaPlanCommand } from "./nebula-plan.ts";
export { nebulaStopCommand } from "./nebula-stop.ts";
export { nebulaPruneCommand } from "./nebula-prune.ts";
export { nebulaShowCommand } from "./nebula-show.ts";
export { nebulaSquashCommand } from "./nebula-squash.ts";
export { nebulaUpdateBaseCommand } from "./nebula-update-base.ts";
export { nebulaUpdateCommand } from "./nebula-update.ts";
export { nebulaValidateCommand } from "./nebula-validate.ts";
export { nebulaStatusCommand } from "./nebula-status.ts";
