// Takes the lane of a nebula and holds it until it is killed: `node holder.ts <git folder> <id>`.
import { createFilePort } from "../../src/port/files/file-port.ts";
import { LANE } from "../../src/port/port.ts";

const [, , commonDir = "", nebula = ""] = process.argv;
const worker = { id: "holder", machine: "", labels: [], agents: [] };
const ask = { nebula, work: LANE, worker, ask: "first", ttlMs: 3000 };
const lease = await createFilePort({ commonDir }).lease(ask);
process.stdout.write(`${JSON.stringify(lease?.epoch ?? null)}\n`);
setInterval(() => {}, 60_000);
