import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChooser } from "@quasar/durable/testing";
import { missing } from "./blackbox/needs.ts";
import { makePlace, oneCycle, type Place, QUASAR } from "./blackbox/place.ts";
import { boot, writeResume, writeRuns } from "./power-cuts/guest.ts";
import { copyImage, isSound, makeImage, withMounted } from "./power-cuts/image.ts";
import { judgeCut, judgeResumed } from "./power-cuts/judge.ts";

/** Runs that a guest would do, were the power not cut. */
const RUNS = 8;
/** The lines that some three of them print. */
const LINES = 36;
/** About what one step takes. */
const MS = 400;

const { values } = parseArgs({
  options: {
    cuts: { type: "string", default: "60" },
    "control-cuts": { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});

const why = process.getuid?.() === 0 ? missing("linux.uml", "mkfs.ext4") : "SKIPPED: not root here";
if (why !== undefined) console.warn(`power cuts ${why}`);
else {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  await main();
}

async function main(): Promise<void> {
  console.log(`seed ${values.seed}, ${QUASAR}`);
  const lost = await cuts("cut", Number(values.cuts), false);
  const control = await cuts(
    "control, git without its syncs",
    Number(values["control-cuts"]),
    true,
  );
  console.log(`${lost} of ${values.cuts} cuts lost something`);
  console.log(`control: ${control} of ${values["control-cuts"]} cuts lost something`);
  if (lost > 0) process.exitCode = 1;
  if (Number(values["control-cuts"]) > 0 && control === 0) {
    console.error("the control lost nothing: these cuts prove nothing");
    process.exitCode = 1;
  }
}

async function cuts(what: string, count: number, withoutGitSyncs: boolean): Promise<number> {
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-cuts-"));
  const disk = join(scratch, "disk");
  const base = join(scratch, "base.img");
  const { choose } = createChooser(Number(values.seed));
  let lost = 0;
  let unjudged = 0;
  try {
    makeImage(base);
    const guest = await withMounted(base, disk, () => {
      const at = makePlace("cuts", disk);
      return { at, scripts: writeScripts(at) };
    });
    const machine = { scratch, disk, withoutGitSyncs, ...guest };
    const [runs, resume] = [writeRuns(machine), writeResume(machine)];
    for (let nth = 1; nth <= count; nth += 1) {
      const image = join(scratch, `cut-${nth}.img`);
      copyImage(base, image);
      const cut = { lines: 1 + choose(LINES), ms: choose(MS) };
      const lines = await boot({ scratch, program: runs, image, cut });
      const last = lines.findLast(({ type }) => type !== "agent_event");
      console.log(`${what} ${nth}: ${lines.length} lines, the last ${last?.type}`);
      try {
        const { bad, isOpen } = await withMounted(image, disk, () => judgeCut(guest.at, lines));
        const after = await boot({ scratch, program: resume, image });
        const verdict = await withMounted(image, disk, () =>
          judgeResumed(guest.at, isOpen, lines, after),
        );
        for (const message of [...bad, ...verdict]) console.log(`  LOST ${message}`);
        if (bad.length + verdict.length > 0) lost += 1;
      } catch (error) {
        if (isSound(image)) throw error;
        console.log(`  NOT JUDGED: the file system itself is damaged: ${String(error)}`);
        unjudged += 1;
      }
      rmSync(image);
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  if (unjudged > 0) console.log(`${what}: ${unjudged} of ${count} not judged`);
  return lost;
}

function writeScripts({ root }: Place): readonly string[] {
  return Array.from({ length: RUNS }, (_, index) => {
    const path = join(root, `script-${index + 1}.json`);
    const turns = oneCycle(50).map((turn) =>
      "files" in turn ? { ...turn, files: { "work.txt": `${index + 1}\n` } } : turn,
    );
    writeFileSync(path, JSON.stringify({ turns, responseUsd: 0.25 }));
    return path;
  });
}
