import { createCheckpointFiles } from "../src/checkpoint-files.ts";
import { aCheckpoint } from "../src/testing/a-checkpoint.ts";

// Saves once, and says on standard output how that went.
const [, , dir = "", size = "0"] = process.argv;
try {
  createCheckpointFiles({ dir }).save(aCheckpoint({ coderOutput: "x\n".repeat(Number(size) / 2) }));
  process.stdout.write("saved");
} catch (error) {
  process.stdout.write(
    error instanceof Error && "code" in error ? String(error.code) : "another error",
  );
}
