import { describe, test } from "vitest";
import { createMemoryCheckpointStore } from "./memory-store.ts";
import { describeCheckpointStore } from "./testing.ts";

describe("the memory store", () => {
  describeCheckpointStore({ test }, createMemoryCheckpointStore);
});
