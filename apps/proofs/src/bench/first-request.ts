import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { existsSync, globSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname, join } from "node:path";
import { endRunProcesses } from "@quasar/agents/turns";
import {
  isInstalled,
  makePlace,
  type Place,
  QUASAR,
  removePlace,
  runIds,
} from "../blackbox/place.ts";
import { root } from "../workspace.ts";
import { median, type Row } from "./row.ts";

const TASK = "Write a test for the login handler.";
const ROUNDS = 10;

/** Where the pinned agents are, when they were installed to be tested. */
const PINNED = join(root, "packages/agents/real/node_modules/.bin");

const BY_HAND = [
  ...["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"],
  ...["--strict-mcp-config", "--setting-sources", "user", "--permission-mode", "acceptEdits"],
];

/** A program of ours that is killed with its agent, and resumed. */
interface Resumed {
  readonly name: string;
  readonly program: string;
  /** Without a budget, so that the killed turns use none up. */
  readonly begin: readonly string[];
  readonly atMost: number;
}

const RESUMED: readonly Resumed[] = [
  {
    name: "quasar resume",
    program: QUASAR,
    begin: ["run", TASK, "--max-budget", "0"],
    atMost: 1.25,
  },
  {
    name: "atlas resume",
    program: join(dirname(QUASAR), "atlas.js"),
    begin: ["start", TASK, "--template", "bugfix", "--use-local", "--max-budget", "0"],
    atMost: 3,
  },
];

const whatOf = ({ name }: Resumed): string =>
  `${name} until Claude Code asks its model, against starting it by hand`;

/** How much later an agent asks its model when a killed run is resumed than when it is started by hand. */
export async function firstRequestRows(): Promise<Row[]> {
  const isPinned = existsSync(join(PINNED, "claude"));
  if (!isPinned && !isInstalled("claude")) {
    for (const each of RESUMED) {
      console.warn(`SKIPPED: "${whatOf(each)}": there is no claude here: pnpm test:agents`);
    }
    return [];
  }
  const rows: Row[] = [];
  for (const each of RESUMED) rows.push(await firstRequestRow(each, isPinned));
  return rows;
}

async function firstRequestRow(resumed: Resumed, isPinned: boolean): Promise<Row> {
  const model = await startModel();
  const at = makePlace("bench");
  const { PATH = "" } = at.env;
  const env = {
    ...at.env,
    PATH: isPinned ? `${PINNED}:${PATH}` : PATH,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ANTHROPIC_BASE_URL: model.url,
    ANTHROPIC_API_KEY: "sk-ant-none",
  };

  /** Starts a program, and ends it with its agent once that has asked; returns how long that took. */
  const untilAsked = async (program: string, args: readonly string[]): Promise<number> => {
    const begun = performance.now();
    const asked = model.nextRequest();
    const child = spawn(program, args, { cwd: at.repo, env, stdio: "ignore", detached: true });
    const exited = once(child, "exit");
    await Promise.race([asked, exited]);
    if (child.exitCode !== null) {
      throw new Error(`${program} ${args[1]} left with ${child.exitCode} and asked no model`);
    }
    const ms = performance.now() - begun;
    await endGroup(child, exited);
    for (const runId of [...runIds(at), ...taskRunIds(at)]) {
      await endRunProcesses(runId, { graceMs: 0 });
    }
    return ms;
  };
  const ours = (...args: readonly string[]) =>
    untilAsked(process.execPath, [resumed.program, ...args]);
  const byHand = () => untilAsked("claude", [...BY_HAND, `--session-id=${randomUUID()}`, TASK]);

  try {
    await ours(...resumed.begin);
    await byHand();
    const pairs: { ours: number; yardstick: number }[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      pairs.push({ ours: await ours("resume"), yardstick: await byHand() });
    }
    const ms = {
      ours: median(pairs.map(({ ours }) => ours)),
      yardstick: median(pairs.map(({ yardstick }) => yardstick)),
    };
    const figure = median(pairs.map(({ ours, yardstick }) => ours / yardstick));
    return { what: whatOf(resumed), figure, atMost: resumed.atMost, ms };
  } finally {
    model.close();
    removePlace(at);
  }
}

/** Of the tasks of `atlas`. */
function taskRunIds({ env: { HOME = "" } }: Place): readonly string[] {
  const runs = globSync(join(HOME, ".atlas/workspaces/*/tasks/*/runs/*"));
  return runs.map((run) => `${basename(join(run, "../.."))}-${basename(run)}`);
}

async function endGroup({ pid }: ChildProcess, exited: Promise<unknown>): Promise<void> {
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
  await exited;
}

/** A model on loopback that is asked, and never answers. */
async function startModel() {
  let tell = (): void => {};
  const server = createServer((request, response) => {
    const isAsked = request.method === "POST" && /\/v1\/messages(\?|$)/u.test(request.url ?? "");
    if (isAsked) tell();
    else response.writeHead(404).end("{}");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    nextRequest: () =>
      new Promise<void>((resolve) => {
        tell = resolve;
      }),
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
