/** Saves files of the given size, until one fails; prints what became of the last. */
import { DurableError, replaceFile } from "../../src/index.ts";

const [path = "", size = "0", count = "1"] = process.argv.slice(2);
process.on("SIGXFSZ", () => {});
try {
  for (let number = 1; number <= Number(count); number += 1) {
    replaceFile(path, Buffer.alloc(Number(size), String(number)));
  }
  process.stdout.write("saved");
} catch (error) {
  const cause = error instanceof DurableError ? error.cause : error;
  process.stdout.write(
    cause instanceof Error && "code" in cause ? String(cause.code) : String(error),
  );
}
