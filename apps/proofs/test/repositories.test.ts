import { byLane, lane, sample, seed } from "@quasar/vitest/lane";
import { expect, test } from "vitest";
import { bugfixIn, killAt, runIn } from "../src/repositories/drive.ts";
import { SETTINGS } from "../src/repositories/settings.ts";

const chosen = sample(SETTINGS, 1, 3);
const KILLS = byLane({ fast: 1, whole: 1, long: 5 });

console.log(`${chosen.length} of ${SETTINGS.length} repository settings, seed ${seed}`);

const WAYS = [
  ["run", runIn, chosen],
  [
    "bugfix",
    bugfixIn,
    lane === "long" ? chosen.filter(({ isForTasks }) => isForTasks === true) : [],
  ],
] as const;

for (const [what, begin, settings] of WAYS) {
  test.for(settings.map((setting) => [setting.name, setting] as const))(
    `a ${what} %s ends as it should, and so where it is killed and resumed`,
    { timeout: 600_000 },
    async ([, setting]) => {
      const straight = await begin(setting);
      expect(straight.bad).toEqual([]);
      for (let nth = 0; nth < KILLS; nth += 1) {
        const kill = killAt(seed + 1000 * SETTINGS.indexOf(setting) + nth, straight.records);
        const resumed = await begin(setting, kill);
        const how = `killed at record ${kill.record} + ${kill.delayMs} ms, seed ${seed}`;
        expect(resumed.bad, how).toEqual([]);
        if (setting.ends.code === 0) expect(resumed.tree, how).toBe(straight.tree);
      }
    },
  );
}
