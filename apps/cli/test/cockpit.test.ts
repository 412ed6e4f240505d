import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openJournal } from "@quasar/durable/journal";
import { expect, test } from "vitest";
import { apply, withDemo } from "./a-nebula.ts";
import { Terminal } from "./cockpit/terminal.ts";
import { lastRecord, type Place, place, quasar, start } from "./harness.ts";
import { agents, LONG, oneCycle } from "./scripts.ts";

const RUN_ID = /\d{8}-\d{6}-[0-9a-f]{6}/u;

/** A place in which a run is at work, until the test ends. */
async function working(): Promise<Place> {
  const at = place();
  const turns = oneCycle(LONG).map((turn) => ({ ...turn, says: ["Reading a.txt"] }));
  const run = start(at, ["run", "Write work.txt", ...agents(at, turns)]);
  expect(await run.sees("Reading a.txt")).toBe(true);
  return at;
}

test("a person reads a change, accepts it, and leaves; the size changes meanwhile", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  const screen = new Terminal(at);
  screen.quasar("watch");
  await screen.until(/! 1 needs you.*\$0\.40/u);
  await screen.until("a accept");
  screen.type("d");
  await screen.until("+two");
  screen.resize(120, 40);
  screen.type("\u001b");
  await screen.until("┌[Phases]");
  screen.resize(50, 10);
  await screen.until(
    () => /^nebula.*1 needs you/u.test(screen.text()) && !screen.text().includes("┌"),
  );
  screen.resize(80, 24);
  await screen.until("NEEDS YOU");
  // What is pasted decides nothing.
  screen.type("\u001b[200~ay\u001b[201~");
  screen.type("x");
  await screen.until("What is wrong");
  // As it comes over a slow line.
  screen.type("too long");
  await screen.until("too long_");
  screen.type("\u001b");
  await screen.until("a accept");
  screen.type("a");
  await screen.until("Sure?");
  screen.type("n");
  await screen.until("a accept");
  const waits = lastRecord(await quasar(at, ["nebula", "show", "two", "--json"]));
  expect(waits).toMatchObject({ status: "awaiting_human" });
  screen.type("a");
  await screen.until("Sure?");
  screen.type("y");
  await screen.until("two: accepted");
  screen.type("j");
  await screen.until(() => !screen.text().includes("two: accepted"));
  await screen.until("approved; lands");
  screen.type("q");
  await screen.prompt(0);
  expect(screen.isUsual()).toBe(true);
  const taken = lastRecord(await quasar(at, ["nebula", "show", "two", "--json"]));
  expect(taken).toMatchObject({ status: "queued" });
});

test("Ctrl-Z, signals and kill -9 leave a terminal that one can work in", async () => {
  const at = await working();
  const screen = new Terminal(at);
  const isOpen = (): boolean => !screen.isUsual() && screen.text().includes("Reading a.txt");
  const opened = async (): Promise<void> => {
    screen.quasar("watch");
    await screen.until(isOpen);
  };
  const closed = async (code: number): Promise<void> => {
    await screen.prompt(code);
    expect(screen.isUsual()).toBe(true);
    screen.type("clear; stty -a | grep -o ' icanon'\r");
    await screen.until(/^ icanon/mu);
  };
  await opened();
  screen.type("\u001a");
  await closed(148);
  screen.type("fg\r");
  await screen.until(isOpen);
  // Somebody stops it without a word, and a shell has written on its screen.
  process.kill(screen.pid(), "SIGTSTP");
  await screen.prompt(148);
  screen.type("fg\r");
  await screen.until(isOpen);
  process.kill(screen.pid(), "SIGTERM");
  await closed(143);
  await opened();
  screen.type("\u0003");
  await closed(130);
  await opened();
  process.kill(screen.pid(), "SIGKILL");
  await screen.prompt(137);
  expect(screen.isUsual()).toBe(false);
  screen.quasar("list");
  await screen.until(() => screen.isUsual() && screen.text().includes("Write work.txt"));
  expect((await quasar(at, ["status"])).stdout).toContain("running");
});

test("two cockpits show ten thousand events as they come", async () => {
  const at = place();
  const run = await quasar(at, ["run", "Write work.txt", ...agents(at, oneCycle())]);
  expect(run.code).toBe(0);
  const runId = RUN_ID.exec(run.stdout)?.[0] ?? "";
  const screens = [new Terminal(at), new Terminal(at)];
  for (const screen of screens) {
    screen.quasar("watch", runId);
    await screen.until("approved");
    screen.type("l");
    await screen.until("Events");
  }
  const journal = openJournal(join(at.repo, ".git/quasar/runs", runId, "events.jsonl"), {
    joins: true,
  });
  for (let n = 1; n <= 10_000; n += 1) {
    journal.add({ type: "notice", message: `event ${n}.`, time: new Date().toISOString() });
  }
  journal.sync();
  journal.close();
  for (const screen of screens) await screen.until("event 10000.");
  const peak = /^VmHWM:\s+(\d+)/mu.exec(readFileSync(`/proc/${screens[0]?.pid()}/status`, "utf8"));
  expect(Number(peak?.[1]) / 1024).toBeLessThan(150);
});

test("without a terminal, in CI and for a dumb one it follows the log, and loads nothing of the screen", async () => {
  const at = place();
  expect((await quasar(at, ["run", "Write work.txt", ...agents(at, oneCycle())])).code).toBe(0);
  const log = await quasar(at, ["log", "-f"]);
  const watched = await quasar(at, ["watch"], { env: whatIsLoaded(at) });
  expect(watched.stdout).toBe(log.stdout);
  expect(readLoaded(at)).not.toContain("/dist/open-");
  for (const env of [{ CI: "true" }, { TERM: "dumb" }]) {
    const screen = new Terminal(at, { env: { ...env, ...whatIsLoaded(at) } });
    screen.quasar("watch");
    await screen.until("ended    approved");
    expect(screen.isUsual()).toBe(true);
    expect(readLoaded(at)).not.toContain("/dist/open-");
  }
  const screen = new Terminal(at, { env: whatIsLoaded(at) });
  screen.quasar("watch");
  await screen.until(() => !screen.isUsual() && screen.text().includes("cycle 1 of"));
  expect(readLoaded(at)).toContain("/dist/open-");
});

/** Has a command note the modules that it loads. */
function whatIsLoaded({ outside }: Place): Record<string, string> {
  const hook = join(outside, "loads.mjs");
  writeFileSync(
    hook,
    `import { appendFileSync } from "node:fs";
    import { registerHooks } from "node:module";
    registerHooks({ load(url, context, next) {
      appendFileSync(${JSON.stringify(join(outside, "loaded"))}, url + "\\n");
      return next(url, context);
    } });`,
  );
  return { NODE_OPTIONS: `--import=${hook}` };
}

function readLoaded({ outside }: Place): string {
  return readFileSync(join(outside, "loaded"), "utf8");
}
