export { TasksError, type TasksErrorCode } from "./errors.ts";
