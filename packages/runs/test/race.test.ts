import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { json, text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { endRunProcesses } from "@quasar/agents/turns";
import { expect, onTestFinished, test } from "vitest";
import { openRuns } from "../src/index.ts";

const RACER = fileURLToPath(new URL("racer.ts", import.meta.url));

interface Asked {
  readonly role: "coder" | "reviewer";
  readonly step: number;
}

/** Bills each turn at its first step, and has reviewers wait for its second until they are released. */
async function aModel(): Promise<Model> {
  const [reviewing, mayAnswer] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const begun: string[] = [];
  const answer = async (request: IncomingMessage): Promise<string> => {
    const { role, step } = (await json(request)) as Asked;
    if (step === 0) begun.push(role);
    else if (role === "reviewer") {
      reviewing.resolve();
      await mayAnswer.promise;
    }
    return JSON.stringify({ costUsd: step > 0 ? 0 : 0.1 });
  };
  const server = createServer((request, response) => {
    void answer(request).then((body) => response.end(body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    mayAnswer.resolve();
    server.close();
    server.closeAllConnections();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, begun, reviewing: reviewing.promise, dispose: mayAnswer.resolve };
}

interface Model {
  readonly url: string;
  /** Whose turns were begun. */
  readonly begun: readonly string[];
  /** Resolves when a reviewer works. */
  readonly reviewing: Promise<void>;
  readonly dispose: () => void;
}

interface Racer {
  readonly child: ChildProcess;
  /** What it printed; `""` of one that was killed. */
  readonly ended: Promise<string>;
}

interface Place {
  readonly repo: string;
  readonly env: NodeJS.ProcessEnv;
}

async function aRepository(): Promise<Place> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "runs-"));
  const repo = join(folder, "repo");
  const env = { PATH: process.env["PATH"], HOME: folder, GIT_CONFIG_NOSYSTEM: "1" };
  const git = (...args: string[]): void => void execFileSync("git", args, { cwd: folder, env });
  git("init", "-q", "-b", "main", repo);
  git("-C", repo, "config", "user.name", "A");
  git("-C", repo, "config", "user.email", "a@example.org");
  git("-C", repo, "commit", "-q", "--allow-empty", "-m", "start");
  onTestFinished(async () => {
    for (const { id } of await (await openRuns(repo)).list()) {
      await endRunProcesses(id, { graceMs: 0 });
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  });
  return { repo, env };
}

function racer(what: "start" | "resume", { repo, env }: Place, model: Model): Racer {
  const args = ["--no-warnings", RACER, what, repo, model.url];
  const child = spawn(process.execPath, args, { env, stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  return { child, ended: text(child.stdout) };
}

/** Two that resume at once: who of them works, when the other one was refused. */
async function race(at: Place, model: Model): Promise<Racer> {
  const racers = [racer("resume", at, model), racer("resume", at, model)];
  const first = await Promise.race(
    racers.map(async (each) => ({ each, printed: await each.ended })),
  );
  expect(first.printed).toBe('{"code":"ERR_LOCKED"}');
  const [winner] = racers.filter((each) => each !== first.each);
  if (winner === undefined) throw new Error("nobody works");
  return winner;
}

test.for([
  ["one works and the other is refused", false],
  ["one works and the other is refused, also where the first is killed and two resume again", true],
] as const)(
  "of two programs that resume a run at once %s: no turn is paid for twice",
  async ([, isKilled]) => {
    const [at, model] = [await aRepository(), await aModel()];
    const runner = racer("start", at, model);
    await model.reviewing;
    runner.child.kill("SIGKILL");
    await runner.ended;

    let winner = await race(at, model);
    if (isKilled) {
      winner.child.kill("SIGKILL");
      expect(await winner.ended).toBe("");
      winner = await race(at, model);
    }
    model.dispose();
    const end = JSON.parse(await winner.ended) as object;
    expect(end).toEqual({ outcome: "approved", totalCostUsd: 0.2, unknownCostUsd: 0 });
    expect(model.begun).toEqual(["coder", "reviewer"]);
    const [run] = await (await openRuns(at.repo)).list();
    expect(run).toMatchObject({ status: "approved", spentUsd: 0.2 });
  },
);
