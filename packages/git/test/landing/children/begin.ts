/** Puts a ref at a commit and makes a work tree there: what a landing begins with. Does what was done before once. */
import { join } from "node:path";
import {
  addDetachedWorkTree,
  compareAndSwapRef,
  repairWorkTrees,
} from "../../../src/entries/landing.ts";
import { gitDirAt, openRepository } from "../../../src/repository.ts";

const [root = "", folder = "", ref = "", to = ""] = process.argv.slice(2);
const repository = await openRepository(root);
await compareAndSwapRef(repository, { ref, from: undefined, to, message: "begin" });
await repairWorkTrees(repository, folder);
const path = join(folder, "p");
const isThere = (await gitDirAt(path)) !== undefined;
if (!isThere) await addDetachedWorkTree(repository, { path, commit: to });
