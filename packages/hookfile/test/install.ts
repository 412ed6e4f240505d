import { installGitHook } from "../src/index.ts";

/** Installs for one task; prints the kind of the result. */
const [root = "", taskDir = ""] = process.argv.slice(2);
const { kind } = await installGitHook(root, { taskDir, command: ["/usr/bin/true"] });
console.log(JSON.stringify([kind]));
