import { randomUUID } from "node:crypto";

/**
 * The id of a task of these tests, and of the processes that they start. By it the processes of a task are found,
 * and ended: those of other tests, which run beside these, have another.
 */
export const TASK_ID: string = (process.env["QUASAR_TEST_TASK"] ??= `task-${randomUUID()}`);
