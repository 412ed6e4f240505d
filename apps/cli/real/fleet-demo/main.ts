// A nebula over two machines, one of which is lost in the middle; all of it on this computer.
import { parseArgs } from "node:util";
import { playDemo } from "../../src/quasar/demo/stage.ts";
import { NEBULA } from "../../src/quasar/demo/nebula-program.ts";
import { translate } from "../../src/quasar/translate.ts";
import { FleetDemo } from "./play.ts";

const HELP = `Usage: pnpm demo:fleet [--keep]

  --keep      keep the folder with the repository, the depot and the machines
  -h, --help  show this
`;

const OPTIONS = {
  keep: { type: "boolean" },
  help: { type: "boolean", short: "h" },
} as const;

process.exitCode = await main();

async function main(): Promise<number> {
  const { keep, help } = parseArgs({ options: OPTIONS }).values;
  if (help === true) {
    process.stdout.write(HELP);
    return 0;
  }
  try {
    return await playDemo(NEBULA, keep === true ? { keep } : {}, (stage) => new FleetDemo(stage));
  } catch (error) {
    const { message, next, exitCode } = translate(error);
    process.stderr.write([message, ...next.map((step) => `  ${step}`), ""].join("\n"));
    return exitCode;
  }
}
