import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createChooser } from "@quasar/durable/testing";
import { missing } from "./blackbox/needs.ts";
import { QUASAR } from "./blackbox/place.ts";
import { boot, writeResume, writeWork } from "./power-cuts/guest.ts";
import { copyImage, isSound, makeImage, withMounted } from "./power-cuts/image.ts";
import { nebulaVictim } from "./power-cuts/nebula.ts";
import { runsVictim } from "./power-cuts/runs.ts";
import type { MakeVictim } from "./power-cuts/victim.ts";

/** Where the guest's git and `sync` sync nothing. */
const CONTROL = "control, without syncs";
/** About what one step takes. */
const MS = 400;

const VICTIMS: Readonly<Record<string, MakeVictim>> = { quasar: runsVictim, nebula: nebulaVictim };

const { values } = parseArgs({
  options: {
    of: { type: "string", default: "quasar" },
    cuts: { type: "string", default: "60" },
    "control-cuts": { type: "string", default: "10" },
    seed: { type: "string", default: String(Math.floor(Date.now() / 86_400_000)) },
  },
});

const why =
  process.getuid?.() === 0
    ? missing("linux.uml", "mkfs.ext4", "taskset")
    : "SKIPPED: not root here";
if (why !== undefined) console.warn(`power cuts ${why}`);
else {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));
  await main();
}

async function main(): Promise<void> {
  const makeVictim = VICTIMS[values.of];
  if (makeVictim === undefined) {
    console.error(`--of: ${values.of} is not ${Object.keys(VICTIMS).join(" or ")}`);
    process.exitCode = 2;
    return;
  }
  console.log(`${values.of}, seed ${values.seed}, ${QUASAR}`);
  const lost = await cuts(makeVictim, "cut", Number(values.cuts));
  const control = await cuts(makeVictim, CONTROL, Number(values["control-cuts"]));
  console.log(`${lost} of ${values.cuts} cuts lost something`);
  console.log(`control: ${control} of ${values["control-cuts"]} cuts lost something`);
  if (lost > 0) process.exitCode = 1;
  if (Number(values["control-cuts"]) > 0 && control === 0) {
    console.error("the control lost nothing: these cuts prove nothing");
    process.exitCode = 1;
  }
}

async function cuts(makeVictim: MakeVictim, what: string, count: number): Promise<number> {
  const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-cuts-"));
  const disk = join(scratch, "disk");
  const base = join(scratch, "base.img");
  const { choose } = createChooser(Number(values.seed));
  let lost = 0;
  let unjudged = 0;
  try {
    makeImage(base);
    const victim = await withMounted(base, disk, () => makeVictim(disk));
    const [least, most] = victim.lines;
    const guest = { scratch, disk, workspace: victim.workspace, withoutSyncs: what === CONTROL };
    const [work, resume] = [writeWork(guest, victim.work), writeResume(guest, victim.resume)];
    for (let nth = 1; nth <= count; nth += 1) {
      const image = join(scratch, `cut-${nth}.img`);
      copyImage(base, image);
      const cut = { lines: least + choose(most - least + 1), ms: choose(MS) };
      const lines = await boot({ scratch, program: work, image, cut });
      const last = lines.findLast(({ type }) => type !== "agent_event");
      console.log(`${what} ${nth}: ${lines.length} lines, the last ${last?.type}`);
      try {
        const judged = await withMounted(image, disk, () => victim.judgeCut(lines));
        const after = await boot({ scratch, program: resume, image });
        const verdict = await withMounted(image, disk, () =>
          victim.judgeResumed(judged, lines, after),
        );
        const bad = [...judged.bad, ...verdict];
        for (const message of bad) console.log(`  LOST ${message}`);
        if (bad.length > 0) lost += 1;
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
