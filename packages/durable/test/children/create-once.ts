/** Creates a file with bytes of its own once told to, and prints what it finds there then. */
import { createOnce, readPrivateFile } from "../../src/index.ts";

const [path = "", content = ""] = process.argv.slice(2);
process.stdout.write("ready\n");
process.stdin.once("data", () => {
  const created = createOnce(path, Buffer.from(content));
  const found = readPrivateFile(path, { maxBytes: 1000 });
  const text = new TextDecoder().decode(found);
  process.stdout.write(`${created ? "created" : "found"} ${text}
`);
  process.exit();
});
