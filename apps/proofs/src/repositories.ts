import { parseArgs } from "node:util";
import { bugfixIn, type Ending, killAt, runIn } from "./repositories/drive.ts";
import { SETTINGS } from "./repositories/settings.ts";

const { values } = parseArgs({
  options: {
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    kills: { type: "string", default: "1" },
    only: { type: "string", default: "" },
  },
});
const seed = Number(values.seed);
const settings = SETTINGS.filter(({ name }) => name.includes(values.only));
let bad = 0;

function tell(how: string, ending: Ending, others: readonly string[] = []): void {
  const problems = [...ending.bad, ...others];
  bad += problems.length;
  console.log(`  ${how}: ${problems.length === 0 ? "as expected" : `BAD ${problems.join("; ")}`}`);
}

for (const [index, setting] of settings.entries()) {
  const ways = setting.isForTasks === true ? [runIn, bugfixIn] : [runIn];
  for (const way of ways) {
    console.log(`a ${way === runIn ? "run" : "bugfix"} ${setting.name}`);
    const straight = await way(setting);
    tell(`straight, code ${straight.code}`, straight);
    for (let nth = 0; nth < Number(values.kills); nth += 1) {
      const kill = killAt(seed + 1000 * index + nth, straight.records);
      const resumed = await way(setting, kill);
      const how = `killed at record ${kill.record} + ${kill.delayMs} ms, code ${resumed.code}`;
      const isOther = resumed.tree !== straight.tree && setting.ends.code === 0;
      tell(how, resumed, isOther ? ["HEAD's tree is another one than without the kill"] : []);
    }
  }
}
console.log(`seed ${seed}: ${settings.length} settings, ${bad} bad`);
if (bad > 0) process.exitCode = 1;
