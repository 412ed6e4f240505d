// Runs the validation step of the task in the given folder, until it is killed.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { aScene } from "../a-validation.ts";

const [root = "", command = "", mode = "run"] = process.argv.slice(2);
const scene = aScene(root);
scene.commands = [{ name: "slow", command }];
if (mode === "fix") {
  scene.maxFixes = 1;
  scene.workOnStep = () => {
    writeFileSync(join(root, "fixing"), "");
    return new Promise(() => setInterval(() => {}, 1000));
  };
}
await scene.run();
