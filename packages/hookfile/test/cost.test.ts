import { byLane } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { aGrowingTask, measure, type Traffic } from "./cost.ts";
import { temporaryFolders } from "./folder.ts";

const aFolder = temporaryFolders();
const MANY = byLane({ fast: 5000, whole: 5000, long: 100_000 });

const bytes = ({ read, written }: Traffic): number => read + written;

test(`an update of a task with ${MANY} events moves at most 1.5 times the bytes that it moves with 100, an opening at most 2 times`, {
  timeout: 600_000,
}, () => {
  const task = aGrowingTask(aFolder());
  task.growTo(100, 1);
  const few = measure(task);
  task.growTo(MANY, 150);
  const many = measure(task);
  expect(bytes(many.update) / bytes(few.update)).toBeLessThanOrEqual(1.5);
  expect(bytes(many.open) / bytes(few.open)).toBeLessThanOrEqual(2);
  expect(many.update.written / few.update.written).toBeLessThanOrEqual(1.5);
  expect(task.files.read()?.counts.events).toBeGreaterThan(MANY);
});
