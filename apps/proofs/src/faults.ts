import { parseArgs } from "node:util";
import { missing } from "./blackbox/needs.ts";
import { nameOf } from "./faults/cases.ts";
import { sweep } from "./faults/sweep.ts";

const { values } = parseArgs({
  options: {
    cases: { type: "string", default: "1200" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
    only: { type: "string" },
  },
});

const why = missing("strace");
if (why !== undefined) console.warn(`failing system calls ${why}`);
else await main();

async function main(): Promise<void> {
  const tally = { tried: 0, struck: 0, bad: 0 };
  const options = {
    cases: Math.ceil(Number(values.cases) / 2),
    seed: Number(values.seed),
    only: values.only,
  };
  const counts = await Promise.all(
    (["run", "resume"] as const).map((target) =>
      sweep(target, {
        ...options,
        onCase: (_, fault, { isStruck, code, bad }) => {
          tally.tried += 1;
          if (isStruck) tally.struck += 1;
          if (bad.length === 0) return;
          tally.bad += 1;
          console.log(`${target} ${nameOf(fault)}: code ${code}`);
          for (const message of bad) console.log(`  BAD ${message.replaceAll("\n", " ")}`);
        },
      }),
    ),
  );
  const all = counts.reduce((sum, count) => sum + count, 0);
  const { tried, struck, bad } = tally;
  console.log(
    `seed ${values.seed}: ${struck} of ${tried} cases struck (there are ${all}), ${bad} bad`,
  );
  if (bad > 0) process.exitCode = 1;
}
