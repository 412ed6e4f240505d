import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { listProcesses, sendSignal } from "@quasar/process";
import { onTestFinished } from "vitest";
import { emptyPlace, type Place, type Running, start } from "./harness.ts";

/** A place in which restate-server is a program that listens where its configuration says, and notes what it gets. */
export interface FleetPlace extends Place {
  readonly keyFile: string;
  /** A line for each start, registration and signal. */
  noted(): readonly string[];
}

/** What the fake does, in JavaScript, before it listens. @default nothing */
export function fleetPlace(first: string = ""): FleetPlace {
  const at = emptyPlace();
  onTestFinished(() => endServers(at));
  const notes = join(at.outside, "notes");
  const program = join(at.outside, "fake-restate-server");
  writeFileSync(program, fakeServer(notes, first));
  chmodSync(program, 0o755);
  return {
    ...at,
    env: { ...at.env, QUASAR_RESTATE_SERVER: program },
    keyFile: join(at.outside, "home/.config/quasar/fleet.key"),
    noted: () => (existsSync(notes) ? readFileSync(notes, "utf8").split("\n").slice(0, -1) : []),
  };
}

/** Ends servers whose command was killed with the test. */
function endServers({ env }: Place): void {
  for (const { pid, variable } of listProcesses() ?? []) {
    const isServer = variable("QUASAR_FLEET_SERVER") !== undefined;
    if (isServer && variable("HOME") === env["HOME"]) sendSignal(pid, "SIGKILL");
  }
}

function fakeServer(notes: string, first: string): string {
  return `#!${process.execPath}
const { appendFileSync } = require("node:fs");
const { createServer } = require("node:http");
const note = (text) => appendFileSync(${JSON.stringify(notes)}, text + "\\n");
if (process.argv.includes("--version")) { console.log("restate-server 9.9.9"); process.exit(0); }
console.log("the server's own log");
note("start " + process.argv.slice(2).join(" "));
process.on("SIGTERM", () => { note("SIGTERM"); process.exit(0); });
${first}
for (const name of ["RESTATE_BIND_ADDRESS", "RESTATE_INGRESS__BIND_ADDRESS", "RESTATE_ADMIN__BIND_ADDRESS"]) {
  const [host, port] = process.env[name].split(":");
  createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      if (request.method === "POST") note("registered " + body);
      response.end("{}");
    });
  }).listen(Number(port), host);
}
`;
}

export interface Up {
  readonly running: Running;
  readonly line: Readonly<Record<string, string>>;
}

/** Starts `quasar fleet up` and waits until it takes calls. */
export async function up(at: Place, ...args: readonly string[]): Promise<Up> {
  const running = start(at, ["fleet", "up", "--json", ...args]);
  await running.sees("\n");
  const [first = ""] = running.stdout().split("\n");
  if (first === "") throw new Error((await running.finished).stderr);
  return { running, line: JSON.parse(first) as Readonly<Record<string, string>> };
}

export const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
