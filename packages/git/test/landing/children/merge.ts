/** Opens the merge folder of a repository when told to, merges two commits in it some times, prints each tree. */
import { once } from "node:events";
import { mergeTrees, openMergeFolder } from "../../../src/entries/landing.ts";
import { openRepository } from "../../../src/repository.ts";

const [root = "", ours = "", theirs = ""] = process.argv.slice(2);
const repository = await openRepository(root);
process.stdout.write("ready\n");
await once(process.stdin, "data");
for (let times = 0; times < 3; times += 1) {
  const folder = await openMergeFolder(repository);
  const { tree } = await mergeTrees(folder, { ours, theirs });
  process.stdout.write(`${tree}\n`);
}
process.stdin.destroy();
