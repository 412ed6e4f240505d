import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, openSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { endMarked, type Mark, sendSignal } from "@quasar/process";
import { shellWord } from "@quasar/runs/text";
import { CliError } from "../../shared/errors.ts";
import type { Ports } from "./ports.ts";

/** A server that no other machine reaches. */
export interface RestateServer {
  /** Resolves once it has ended, in whatever way: with how, in words. */
  readonly ended: Promise<string>;
  /** Waits until it takes calls. @throws {CliError} `ERR_STATE` where it has ended before; the signal's reason */
  ready(signal: AbortSignal): Promise<void>;
  /** Has it save and end, and waits for that. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
}

export interface RestateServerOptions {
  readonly program: string;
  readonly ports: Ports;
  /** Where its data is. */
  readonly data: string;
  /** Where what it prints is added. */
  readonly log: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const READY_MS = 60_000;
const LOOK_MS = 50;
const STOP_MS = 10_000;

export function startRestateServer(options: RestateServerOptions): RestateServer {
  const { program, ports, data, log, env } = options;
  const mark = markOf(data);
  const out = openSync(log, "a", 0o600);
  // The same names each time: its data is theirs.
  const names = ["--node-name", "quasar", "--cluster-name", "quasar"];
  const child = spawn(program, ["--no-logo", ...names, "--base-dir", data], {
    env: { PATH: env["PATH"], HOME: env["HOME"], ...variables(ports), [mark.name]: mark.value },
    stdio: ["ignore", out, out],
    // A group of its own: Ctrl-C is not for it.
    detached: true,
  });
  closeSync(out);
  const ended = new Promise<string>((done) => {
    child.once("error", (error) => done(error.message));
    child.once("exit", (code, signal) => done(signal ?? `exit code ${code}`));
  });
  const { pid } = child;
  const kill = (): void => {
    if (pid !== undefined) sendSignal(-pid, "SIGKILL");
  };
  return {
    ended,
    async ready(signal) {
      const urls = [
        `http://127.0.0.1:${ports.admin}/health`,
        `http://127.0.0.1:${ports.ingress}/restate/health`,
      ];
      const over = ended.then((how) => {
        throw serverEnded(how, log);
      });
      const settled = new AbortController();
      const until = AbortSignal.any([signal, settled.signal]);
      try {
        await Promise.race([Promise.all(urls.map((url) => answers(url, until, log))), over]);
      } finally {
        settled.abort();
      }
    },
    async stop() {
      if ((await endMarked(mark, { graceMs: STOP_MS })) === undefined) kill();
      await ended;
    },
    kill,
  };
}

/** Ends a server whose own `quasar fleet up` was killed: it has the data. */
export async function endLeftServer(data: string): Promise<void> {
  await endMarked(markOf(data), { graceMs: STOP_MS });
}

/** By which all processes of a folder's server are known: what is on the PATH may be a small program that starts it. */
function markOf(data: string): Mark {
  const value = createHash("sha256").update(data).digest("hex").slice(0, 32);
  return { name: "QUASAR_FLEET_SERVER", value };
}

/** What is said of a server that has ended by itself. */
export function serverEnded(how: string, log: string): CliError {
  const next = [`tail -n 20 ${shellWord(log)}   # what it says itself`, "quasar fleet up"];
  return new CliError("ERR_STATE", `restate-server has ended: ${how}`, { next });
}

/** Nothing of it listens but on loopback, and it calls nobody but the object. */
function variables({ node, ingress, admin }: Ports): Readonly<Record<string, string>> {
  return {
    ...{ RESTATE_DISABLE_TELEMETRY: "true", DO_NOT_TRACK: "1", RESTATE_LISTEN_MODE: "tcp" },
    // For one machine that does more than this.
    ...{ RESTATE_DEFAULT_NUM_PARTITIONS: "4", RESTATE_ROCKSDB_TOTAL_MEMORY_SIZE: "256MB" },
    ...addresses("RESTATE_", node),
    ...addresses("RESTATE_INGRESS__", ingress),
    ...addresses("RESTATE_ADMIN__", admin),
  };
}

function addresses(prefix: string, port: number): Readonly<Record<string, string>> {
  return {
    [`${prefix}BIND_ADDRESS`]: `127.0.0.1:${port}`,
    [`${prefix}ADVERTISED_ADDRESS`]: `http://127.0.0.1:${port}/`,
  };
}

async function answers(url: string, signal: AbortSignal, log: string): Promise<void> {
  const end = performance.now() + READY_MS;
  while (performance.now() < end) {
    const limit = AbortSignal.any([signal, AbortSignal.timeout(1000)]);
    const isUp = await fetch(url, { signal: limit }).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isUp) return;
    await sleep(LOOK_MS, undefined, { signal });
  }
  const next = [`tail -n 20 ${shellWord(log)}   # what it says itself`];
  throw new CliError("ERR_STATE", `restate-server does not answer at ${url}`, { next });
}
