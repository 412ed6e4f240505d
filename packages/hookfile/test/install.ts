import { installGitHook } from "../src/git-hook/index.ts";

/** Installs for one task, as the user of that number where one is given; prints the kind of the result. */
const [root = "", taskDir = "", user] = process.argv.slice(2);
if (user !== undefined) {
  // Given up here rather than at the spawn: that user need not be able to read Node or this file.
  process.setgroups?.([]);
  process.setgid?.(Number(user));
  process.setuid?.(Number(user));
}
const { kind } = await installGitHook(root, { taskDir, command: ["/usr/bin/true"] });
console.log(JSON.stringify([kind]));
