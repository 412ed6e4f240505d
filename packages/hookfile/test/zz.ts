import { exploreCrashes } from "@quasar/durable/testing";
import { life } from "./crash.ts";
const t = performance.now();
const report = exploreCrashes({ seed: 1, maxStates: Number(process.argv[2]), ...life });
console.log(performance.now() - t, JSON.stringify({ ...report, findings: report.findings.slice(0, 5).map(f=>({...f, found: String((f.found as Error)?.stack ?? f.found)})) },null,1));
