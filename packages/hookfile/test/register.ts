import { changeRegistry, readRegistry } from "../src/git-hook/registry.ts";

/** Comes to a registry and goes again, as often as told; prints how often it was not found in it. */
const [commonDir = "", taskDir = "", times = "1"] = process.argv.slice(2);
let lost = 0;
for (let round = 0; round < Number(times); round += 1) {
  await changeRegistry(commonDir, ({ registry, save }) => {
    save({ ...registry, tasks: [...registry.tasks, { taskDir, worktree: "/w" }] });
  });
  if (!readRegistry(commonDir).tasks.some((task) => task.taskDir === taskDir)) lost += 1;
  await changeRegistry(commonDir, ({ registry, save }) => {
    save({ ...registry, tasks: registry.tasks.filter((task) => task.taskDir !== taskDir) });
  });
}
console.log(lost);
