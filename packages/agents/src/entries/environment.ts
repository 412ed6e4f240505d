export { checkEnvironment, withheldFromChecks } from "../environment.ts";
export { createEnvFileRedactor } from "../secrets/env-files.ts";
export { createRedactor, type Redactor } from "../secrets/redact.ts";
export { visibleText } from "../secrets/visible.ts";
