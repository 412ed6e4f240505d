import { once } from "node:events";
import { existsSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { text } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { type Place, write } from "./harness.ts";
import type { Turn } from "./scripts.ts";

const COSTS = { coder: 0.3, reviewer: 0.1 } as const;

interface Asked {
  readonly role: Turn["role"];
  readonly step: number;
}

/**
 * A model for scripted agents, which has those of the role wait after their first step until they are
 * released. The first step of a turn is what the turn costs.
 */
export async function holdingModel(at: Place, role: Turn["role"]): Promise<string> {
  const answer = async (request: IncomingMessage): Promise<string> => {
    const asked = JSON.parse(await text(request)) as Asked;
    if (asked.step > 0 && asked.role === role) {
      while (!existsSync(join(at.outside, "released"))) await sleep(20);
    }
    return JSON.stringify({ costUsd: asked.step > 0 ? 0 : COSTS[asked.role] });
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.end(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    releaseModel(at);
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}

/** Has the model answer the agents that it holds. */
export function releaseModel(at: Place): void {
  write(at.outside, { released: "" });
}

/** Has another program drive, which did not see that the run's process lives. */
export function takeOver(lock: string): () => void {
  const other = `${lock}.other`;
  writeFileSync(other, "");
  const database = new DatabaseSync(other);
  database.exec("PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
  // Held before it has the name: a run may take a lock anew that is missing.
  renameSync(other, lock);
  rmSync(`${lock}.owner.json`, { force: true });
  let isOpen = true;
  const free = (): void => {
    if (isOpen) database.close();
    isOpen = false;
  };
  onTestFinished(free);
  return free;
}
