import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { sendSignal } from "@quasar/process";
import { processesIn } from "./leftovers.ts";
import { rehearsal } from "./rehearsal.ts";

// Makes a release in a clone, and uses it as somebody does who has nothing else. Publishes nothing.
//
// Usage: node --conditions=@quasar/source release/rehearse.ts

const root = fileURLToPath(new URL("../../../", import.meta.url));
const scratch = mkdtempSync(join(realpathSync(tmpdir()), "quasar-rehearsal-"));
const stop = new AbortController();
const { signal } = stop;

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

async function rehearse(): Promise<void> {
  const start = performance.now();
  for (const [name, take] of rehearsal({ root, scratch, signal })) {
    const begun = performance.now();
    process.stdout.write(`${name}\n`);
    const seen = await take();
    process.stdout.write(`${seconds(performance.now() - begun).padStart(9)}  ${seen}\n`);
  }
  console.log(`The release works. Nothing was published. ${seconds(performance.now() - start)}`);
}

const SIGNALS = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const;
for (const [name, code] of Object.entries(SIGNALS)) {
  process.once(name, () => {
    process.exitCode = code;
    stop.abort(new Error(`stopped by ${name}`));
  });
}

try {
  await rehearse();
} catch (error) {
  process.exitCode ??= 1;
  const message = error instanceof Error ? error.message : String(error);
  console.error(`\nerror: ${message}`);
  if (!signal.aborted) console.error("  next     repair it, commit, and pnpm release:rehearse");
} finally {
  for (const pid of processesIn(scratch)) sendSignal(pid, "SIGKILL");
  rmSync(scratch, { recursive: true, force: true, maxRetries: 10 });
}
