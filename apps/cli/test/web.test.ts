import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { openJournal } from "@quasar/durable/journal";
import { expect, onTestFinished, test } from "vitest";
import { apply, withDemo } from "./a-nebula.ts";
import { git, lastRecord, type Place, place, quasar, records, write } from "./harness.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";
import { ask, decide, kill, messageOf, problemOf, serve } from "./web-server.ts";

/** A place with a run that was approved, and its id. */
async function withRun(): Promise<{ readonly at: Place; readonly runId: string }> {
  const at = place();
  const run = await quasar(at, ["run", "Write work.txt", ...agents(at, oneCycle()), "--json"]);
  return { at, runId: String(lastRecord(run)["runId"]) };
}

/** Files in which a place keeps addresses of pages. */
function keptIn({ outside }: Place): readonly string[] {
  const dir = join(outside, "home/.local/state/quasar/web");
  const names = existsSync(dir) ? readdirSync(dir) : [];
  return names.filter((name) => name !== ".gitignore").map((name) => join(dir, name));
}

test("it answers only its own page at its own address, and tells another page nothing", async () => {
  const { at } = await withRun();
  const served = await serve(at);
  const origin = "http://127.0.0.1:1";
  const paths = ["/events", "/transcript?turn=x", "/diff?sha=x", "/change", "/nothing"];
  for (const path of ["/", ...paths]) {
    for (const headers of [{ host: `evil.test:${served.port}` }, { origin }, { origin: "null" }]) {
      expect((await ask(served, path, { headers })).status, path).toBe(403);
    }
  }
  for (const authorization of [undefined, `Bearer ${served.token}x`, `Basic ${served.token}`]) {
    for (const path of paths) {
      expect((await ask(served, path, { headers: { authorization } })).status, path).toBe(401);
    }
  }
  const body = "{}";
  const posted = async (headers: Readonly<Record<string, string | undefined>>) =>
    (await ask(served, "/decide", { method: "POST", headers, body })).status;
  expect(await posted({})).toBe(400);
  expect(await posted({ host: `localhost:${served.port}` })).toBe(403);
  expect(await posted({ origin })).toBe(403);
  expect(await posted({ origin: undefined })).toBe(403);
  expect(await posted({ authorization: undefined })).toBe(401);
  const preflight = { origin, "access-control-request-method": "POST" };
  const asked = await ask(served, "/decide", { method: "OPTIONS", headers: preflight });
  expect(asked.status).toBe(403);
  const page = await ask(served, "/", { headers: { authorization: undefined } });
  expect(page).toMatchObject({
    status: 200,
    headers: {
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; script-src 'sha256-.*frame-ancestors 'none'/u,
      ),
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
    },
  });
  expect(page.body).not.toContain("work.txt");
  for (const { headers } of [page, asked, await ask(served, "/diff?sha=x")]) {
    const names = Object.keys(headers).join(" ");
    expect(names).not.toMatch(/access-control|cookie/u);
    expect(names).toContain("content-security-policy");
  }
});

test("what it sends has no secrets of the environment or of the tree's .env", async () => {
  const at = place({ "a.txt": "one\n", ".gitignore": ".env\n" });
  const [typed, kept] = ["typed-0123456789-token", "kept-0123456789-password"];
  write(at.repo, { ".env": `DB_PASSWORD=${kept}\n` });
  const files = { "work.txt": `${typed}\n${kept}\n` };
  const turns = oneCycle().map((turn): Turn => {
    return { ...turn, says: [`it is ${typed} or ${kept}`], files: turn.files && files };
  });
  const run = await quasar(at, ["run", `Use ${kept}`, ...agents(at, turns)]);
  expect(run.code, run.stderr).toBe(0);
  const served = await serve(at, [], { MY_TOKEN: typed });
  const { data } = await messageOf(served);
  const sha = git(at, "rev-parse", "HEAD");
  const turn = (data.facts["run"] as { readonly turns: readonly { readonly turnId: string }[] })
    .turns[0];
  const diff = await ask(served, `/diff?sha=${sha}`);
  const transcript = await ask(served, `/transcript?turn=${turn?.turnId}`);
  expect(diff.body).toContain("work.txt");
  expect(transcript.body).toContain("it is ");
  const all = [JSON.stringify(data), diff.body, transcript.body].join("\n");
  for (const secret of [typed, kept]) expect(all.includes(secret), secret).toBe(false);
  for (const path of ["/diff?sha=HEAD", "/transcript?turn=../x", `/diff?sha=${"0".repeat(40)}`]) {
    expect((await ask(served, path)).body).toBe("null");
  }
});

test("a reader of a run that is removed hears that there is none any more", async () => {
  const { at, runId } = await withRun();
  const served = await serve(at, [runId]);
  await messageOf(served);
  expect((await quasar(at, ["prune", runId])).code).toBe(0);
  expect(await problemOf(served)).toBe(`there is no run ${runId} in this work tree`);
});

test("of two servers each has an address of its own, which the next one takes where it was killed", async () => {
  const { at } = await withRun();
  const [killed, other] = [await serve(at), await serve(at)];
  expect(other.port).not.toBe(killed.port);
  other.running.child.kill("SIGINT");
  await other.running.finished;
  await kill(killed);
  expect((await serve(at)).url).toBe(killed.url);
});

test("a reader of a server that was killed gets from the next one what it lacks, and nothing twice", async () => {
  const { at, runId } = await withRun();
  const killed = await serve(at, ["--json"]);
  const first = await messageOf(killed);
  expect(first.data).toMatchObject({ from: 0, decisions: [], facts: { kind: "run" } });
  const count = first.data.events.length;
  expect(count).toBeGreaterThan(3);
  const [kept = ""] = keptIn(at);
  expect(statSync(kept).mode & 0o777).toBe(0o600);
  await kill(killed);
  const path = join(at.repo, ".git/quasar/runs", runId, "events.jsonl");
  const journal = openJournal(path, { joins: true });
  const happens = (message: string): void => {
    journal.add({ type: "notice", message, time: new Date().toISOString() });
    journal.sync();
  };
  happens("meanwhile.");
  const served = await serve(at);
  expect(served.url).toBe(killed.url);
  const next = await messageOf(served, first.id);
  expect(next.data.from).toBe(count);
  expect(next.data.events.map(({ text }) => text)).toEqual([expect.stringContaining("meanwhile.")]);
  const coming = messageOf(served, next.id);
  happens("as it works.");
  journal.close();
  expect((await coming).data).toMatchObject({ from: count + 1, events: [{}] });
  const all = await messageOf(served, "99.0.0");
  const report = lastRecord(await quasar(at, ["report", "--json"]));
  expect(all.data.from).toBe(0);
  const told = (report["events"] as readonly { readonly text: string }[]).map(({ text }) => text);
  expect(all.data.events.map(({ text }) => text)).toEqual(told);

  served.running.child.kill("SIGINT");
  expect((await served.running.finished).code).toBe(130);
  expect(keptIn(at)).toEqual([]);
  const another = await serve(at, [runId]);
  expect(another.token).not.toBe(served.token);
});

test("where the port of a killed server is taken, its token is not used again", async () => {
  const { at } = await withRun();
  const killed = await serve(at);
  await kill(killed);
  const another = createServer().listen(killed.port, "127.0.0.1");
  onTestFinished(() => void another.close());
  await once(another, "listening");
  const served = await serve(at);
  expect(served.port).not.toBe(killed.port);
  expect(served.token).not.toBe(killed.token);
  const kept = keptIn(at).map((path) => JSON.parse(readFileSync(path, "utf8")) as unknown);
  expect(kept).toContainEqual({ port: served.port, token: served.token });
  const taken = await quasar(at, ["web", "--port", String(killed.port)]);
  expect(taken.code).toBe(6);
  expect(taken.stderr).toContain(`port ${killed.port} is taken`);
});

test("a decision is about the very change that was shown, and made once", async () => {
  const at = withDemo();
  expect((await apply(at)).code).toBe(5);
  const served = await serve(at, ["demo"]);
  const { decisions } = (await messageOf(served)).data;
  expect(decisions.map(({ verb }) => verb)).toEqual(["approve", "reject", "pause"]);
  const [approve = {}, reject = {}, pause = {}] = decisions.map((each) => ({ ...each, text: "" }));
  const digest = String(decisions[0]?.["digest"]);
  expect(digest).toMatch(/^[0-9a-f]{64}$/u);

  const change = await ask(served, `/change?phase=two&digest=${digest}`);
  expect(change.status).toBe(200);
  expect(change.body).toContain("+two");
  const other = "0".repeat(64);
  expect((await ask(served, `/change?phase=two&digest=${other}`)).status).toBe(409);
  expect(await decide(served, { ...approve, digest: other })).toEqual([
    409,
    "two: its change is another one by now: look at it again",
  ]);
  expect(await decide(served, { ...approve, attempt: 2 })).toEqual([
    409,
    "two: it is about attempt 2, and attempt 1 is under way",
  ]);
  expect((await decide(served, { ...reject }))[1]).toContain("a rejection says what is wrong");
  for (const wrong of [{ verb: "retry" }, { verb: "approve", phase: "" }, { verb: "skip" }]) {
    expect((await decide(served, { ...approve, ...wrong }))[0]).toBeGreaterThanOrEqual(400);
  }
  const show = async () => lastRecord(await quasar(at, ["nebula", "show", "two", "--json"]));
  expect(await show()).toMatchObject({ status: "awaiting_human" });

  expect((await decide(served, pause))[0]).toBe(200);
  const paused = await messageOf(served, "", ({ data }) =>
    data.decisions.some(({ verb }) => verb === "continue"),
  );
  const [ends = {}] = paused.data.decisions.filter(({ verb }) => verb === "continue");
  expect((await decide(served, { ...ends, text: "" }))[0]).toBe(200);

  const byAgent = await serve(at, ["demo"], { QUASAR_RUN_ID: "r" });
  expect((await messageOf(byAgent)).data.decisions).toEqual([]);
  expect((await decide(byAgent, approve))[0]).toBe(409);
  expect(await show()).toMatchObject({ status: "awaiting_human" });

  expect(await decide(served, approve)).toEqual([200, expect.stringContaining("two: accepted")]);
  expect(await show()).toMatchObject({ status: "queued" });
  expect(await decide(served, approve)).toEqual([409, "two: it is approved already"]);
  const after = await messageOf(served, "", ({ data }) => data.decisions.length === 1);
  expect(after.data.decisions).toMatchObject([{ verb: "pause" }]);
});

test("--open shows the page by a file of the user's own, and no program's arguments have the token", async () => {
  const { at } = await withRun();
  const bin = join(at.outside, "bin");
  mkdirSync(bin);
  const program = process.platform === "darwin" ? "open" : "xdg-open";
  writeFileSync(
    join(bin, program),
    '#!/bin/sh\nprintf "%s" "$*" > "$HOME/opened.tmp"\nmv "$HOME/opened.tmp" "$HOME/opened"\n',
    { mode: 0o755 },
  );
  const served = await serve(at, ["--open"], { PATH: `${bin}:${at.env["PATH"]}` });
  const seen = join(at.outside, "home/opened");
  await expect.poll(() => existsSync(seen)).toBe(true);
  const opened = readFileSync(seen, "utf8");
  expect(opened).not.toContain(served.token);
  expect(statSync(opened).mode & 0o777).toBe(0o600);
  expect(readFileSync(opened, "utf8")).toContain(served.url);
  served.running.child.kill("SIGTERM");
  expect((await served.running.finished).code).toBe(143);
  expect(existsSync(opened)).toBe(false);
});

test("it has nothing to show where nothing is, and takes a port that is one", async () => {
  const at = place();
  expect((await quasar(at, ["web", "--json"])).code).toBe(8);
  const { code, stdout } = await quasar(at, ["web", "--port", "70000", "--json"]);
  expect(code).toBe(2);
  expect(records(stdout)).toMatchObject([{ type: "error", code: "ERR_USAGE" }]);
});
