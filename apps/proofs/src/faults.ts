import { parseArgs } from "node:util";
import { sample } from "./faults/sample.ts";
import { missing } from "./blackbox/needs.ts";
import { nameOf } from "./faults/cases.ts";
import { faultsIn, makeLab, removeLab, type Target, tryFault } from "./faults/lab.ts";

const { values } = parseArgs({
  options: {
    /** How many cases, evenly taken from all there are. */
    cases: { type: "string", default: "1200" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    /** Part of the names of those to try. */
    only: { type: "string", default: "" },
  },
});

const why = missing("strace");
if (why !== undefined) console.warn(`failing system calls ${why}`);
else await main();

async function main(): Promise<void> {
  const targets: readonly Target[] = ["run", "resume"];
  const each = Math.ceil(Number(values.cases) / targets.length);
  const tallies = await Promise.all(targets.map((target) => sweep(target, each)));
  const struck = tallies.reduce((sum, tally) => sum + tally.struck, 0);
  const bad = tallies.reduce((sum, tally) => sum + tally.bad, 0);
  console.log(`seed ${values.seed}: ${struck} cases struck, ${bad} of them bad`);
  if (bad > 0) process.exitCode = 1;
}

interface Tally {
  struck: number;
  bad: number;
}

async function sweep(target: Target, count: number): Promise<Tally> {
  const lab = await makeLab(target);
  const tally = { struck: 0, bad: 0 };
  try {
    const all = (await faultsIn(lab)).filter((fault) => nameOf(fault).includes(values.only));
    const faults = sample(all, count, Number(values.seed));
    console.log(`${target}: ${faults.length} of ${all.length} cases`);
    for (const fault of faults) {
      const t0 = performance.now();
      const { isStruck, code, bad } = await tryFault(lab, fault);
      console.log(target, (performance.now() - t0).toFixed(), nameOf(fault));
      if (isStruck) tally.struck += 1;
      if (isStruck && bad.length > 0) tally.bad += 1;
      if (!isStruck || bad.length > 0) console.log(`${target} ${nameOf(fault)}: code ${code}`);
      if (!isStruck) console.log("  NOT STRUCK");
      for (const message of bad) console.log(`  BAD ${message.replaceAll("\n", " ")}`);
    }
  } finally {
    removeLab(lab);
  }
  return tally;
}
