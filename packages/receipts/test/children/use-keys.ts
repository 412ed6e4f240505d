/**
 * For each line on standard input, `<umask in octal> <folder>`: opens the keys there under that umask,
 * allocates a number, and prints the key's id and the number.
 */
import { createInterface } from "node:readline";
import { createKeyManager } from "../../src/index.ts";

process.stdout.write("ready\n");
for await (const line of createInterface(process.stdin)) {
  const [mask = "", dir = ""] = line.split(" ");
  process.umask(Number.parseInt(mask, 8));
  const keys = createKeyManager({ dir });
  const { keyId } = keys.open();
  const number = keys.keyIndex({ workspaceId: "w", taskId: String(process.pid) });
  process.stdout.write(`${keyId} ${number}\n`);
}
