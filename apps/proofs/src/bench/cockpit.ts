import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { spawn as spawnInTerminal } from "@lydell/node-pty";
import { openJournal } from "@quasar/durable/journal";
import { root } from "../workspace.ts";
import { aRepository, aScript } from "./place.ts";
import { median, type Row } from "./row.ts";

const quasar = `${root}apps/cli/dist/main.js`;

/** What a cockpit takes that a person leaves open: to the first screen, while only clocks move, and with many events. */
export async function cockpitRows(): Promise<Row[]> {
  const scratch = mkdtempSync(join(tmpdir(), "quasar-cockpit-"));
  const at = aRepository(scratch, "cockpit");
  const begun = join(scratch, "begun");
  const coder = aScript(scratch, "waits", `touch ${begun}; exec sleep 600`);
  const agents = ["--coder", `command:${coder}`, "--reviewer", `command:${coder}`, "--leash"];
  const run = spawn(process.execPath, [quasar, "run", "Wait.", "--max-budget", "0", ...agents], {
    cwd: at.repository,
    env: at.env,
    stdio: "ignore",
  });
  try {
    while (!existsSync(begun)) await sleep(20);
    return [await firstScreenRow(at), ...(await openRows(at))];
  } finally {
    const ended = new Promise((resolve) => run.once("exit", resolve));
    run.kill("SIGTERM");
    await ended;
    rmSync(scratch, { recursive: true, maxRetries: 5 });
  }
}

type Place = ReturnType<typeof aRepository>;

/** A cockpit on a terminal of 120 columns and 40 rows. */
function open({ repository, env }: Place) {
  let bytes = 0;
  const { promise: isDrawn, resolve } = Promise.withResolvers<void>();
  const own = { ...env, TERM: "xterm-256color", LANG: "C.UTF-8" };
  const size = { cols: 120, rows: 40 };
  const pty = spawnInTerminal(process.execPath, [quasar, "watch"], {
    ...size,
    cwd: repository,
    env: own,
  });
  pty.onData((text) => {
    bytes += Buffer.byteLength(text);
    if (text.includes("cycle 1 of")) resolve();
  });
  const closed = new Promise<void>((done) => void pty.onExit(() => done()));
  return {
    pid: pty.pid,
    isDrawn,
    bytes: () => bytes,
    async close(): Promise<void> {
      pty.kill("SIGTERM");
      await closed;
    },
  };
}

const ROUNDS = 10;

async function firstScreenRow(at: Place): Promise<Row> {
  const [ours, bare]: [number[], number[]] = [[], []];
  // The first one compiles what the others find compiled.
  for (let round = 0; round <= ROUNDS; round += 1) {
    const begun = performance.now();
    const cockpit = open(at);
    await cockpit.isDrawn;
    const drawn = performance.now();
    await cockpit.close();
    const closed = performance.now();
    spawnSync(process.execPath, ["-e", "0"]);
    if (round === 0) continue;
    ours.push(drawn - begun);
    bare.push(performance.now() - closed);
  }
  const ms = { ours: median(ours), yardstick: median(bare) };
  const what = "quasar watch to its first screen, against node -e 0";
  return { what, figure: ms.ours / ms.yardstick, atMost: 10, ms };
}

const IDLE_S = 20;
const EVENTS = 10_000;

async function openRows(at: Place): Promise<Row[]> {
  const cockpit = open(at);
  await cockpit.isDrawn;
  await sleep(3000);
  const before = { bytes: cockpit.bytes(), ms: cpuMs(cockpit.pid) };
  await sleep(IDLE_S * 1000);
  const bytes = (cockpit.bytes() - before.bytes) / IDLE_S;
  const percent = (cpuMs(cockpit.pid) - before.ms) / (10 * IDLE_S);
  const idleMb = memoryMb(cockpit.pid, "VmRSS");
  await addEvents(at);
  await sleep(5000);
  const fullMb = memoryMb(cockpit.pid, "VmRSS");
  const mostMb = memoryMb(cockpit.pid, "VmHWM");
  await cockpit.close();
  return [
    { what: "a cockpit: bytes in a second of which only clocks move", figure: bytes, atMost: 400 },
    { what: "a cockpit: percent of a core meanwhile", figure: percent, atMost: 2 },
    { what: "a cockpit: MB of memory meanwhile", figure: idleMb, atMost: 130 },
    { what: `a cockpit: MB of memory after ${EVENTS} events`, figure: fullMb, atMost: 130 },
    { what: "a cockpit: most MB of memory at any time", figure: mostMb, atMost: 130 },
  ];
}

const AT_ONCE = 250;

/**
 * Adds events to the journal of the one run, some at a time, as a run does: by another hand than its runner's, who adds
 * none meanwhile.
 */
async function addEvents({ repository }: Place): Promise<void> {
  const runs = join(repository, ".git/quasar/runs");
  const [id = ""] = readdirSync(runs);
  const journal = openJournal(join(runs, id, "events.jsonl"), { joins: true });
  for (let n = 0; n < EVENTS; n += 1) {
    if (n % AT_ONCE === 0) await sleep(250);
    const time = new Date().toISOString();
    journal.add({ type: "notice", message: `event ${n}`, time });
  }
  journal.close();
}

/** Of Linux, whose clock ticks a hundred times a second. */
function cpuMs(pid: number): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /u, "")
    .split(" ");
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** What it has now (`VmRSS`), or the most that it has had (`VmHWM`). @throws where Linux does not say */
function memoryMb(pid: number, field: "VmRSS" | "VmHWM"): number {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const kb = new RegExp(`^${field}:\\s+(\\d+)`, "mu").exec(status)?.[1];
  if (kb === undefined) throw new Error(`${field} is not in the status of ${pid}`);
  return Number(kb) / 1024;
}
