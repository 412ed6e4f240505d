import { installGitHook, uninstallGitHook } from "../src/index.ts";

/** Installs for one task and uninstalls for it, as often as told; prints the kinds of the results. */
const [root = "", taskDir = "", times = "1", last = "install"] = process.argv.slice(2);
const kinds: string[] = [];
for (let round = 1; round <= Number(times); round += 1) {
  kinds.push((await installGitHook(root, { taskDir, command: ["/usr/bin/true"] })).kind);
  if (round === Number(times) && last === "install") break;
  kinds.push((await uninstallGitHook(root, { taskDir })).kind);
}
console.log(JSON.stringify(kinds));
