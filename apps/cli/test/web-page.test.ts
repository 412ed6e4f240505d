import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { barriersIn, hasNoBrowser, usePages } from "@quasar/vitest/browser";
import { describe, expect, onTestFinished, test } from "vitest";
import { applyArgs, phaseText, withDemo, workOf } from "./a-nebula.ts";
import { lastRecord, place, quasar, start } from "./harness.ts";
import { holdingModel, releaseModel } from "./held.ts";
import { agents, oneCycle, type Turn } from "./scripts.ts";
import { kill, serve } from "./web-server.ts";

const HOSTILE = `<img src=x onerror="window.hacked = 1"> \u001b[31m\u202e</script><script>window.hacked = 1</script>`;
const SHOWN = String.raw`<img src=x onerror="window.hacked = 1"> \u{1b}[31m\u{202e}</script>`;

/** Two phases: an agent of the first asks, and the change of the second waits for a person. */
const FILES = {
  "nebula.toml": '[nebula]\nname = "demo"\n',
  "1.md": phaseText("one"),
  "2.md": phaseText("two", 'gate = "review"'),
};
const TURNS: readonly Turn[] = [
  { ...workOf("one")[0], role: "coder", match: 'was answered:\n"8080"', text: "Written." },
  {
    role: "coder",
    match: "Do one.",
    text: `QUESTION: blocker\nSUMMARY: ${HOSTILE}\nDETAIL: ${HOSTILE}\nOPTION: 80\nOPTION: 8080`,
  },
  { role: "coder", match: "Do two.", text: HOSTILE, files: { "two <b>.txt": `${HOSTILE}\n` } },
  ...workOf(),
];

/** Milliseconds in which a busy machine gets something on a page. */
const PATIENCE = { timeout: 90_000 } as const;

describe.skipIf(hasNoBrowser)("in a browser", () => {
  const pages = usePages();

  test("a page fills as a run works, and over a server that was killed it has each event once", async () => {
    const at = place();
    const model = await holdingModel(at, "reviewer");
    const turns = oneCycle().map((turn) => ({ ...turn, says: [`I am the ${turn.role}`] }));
    const run = start(at, ["run", "Write work.txt", ...agents(at, turns, { model })]);
    expect(await run.sees("reviewer")).toBe(true);
    const killed = await serve(at);
    const { page, bad } = await pages.newPage();
    await page.goto(killed.url);
    await page.getByText("Running, cycle 1").waitFor(PATIENCE);
    expect(page.url()).toBe(`http://127.0.0.1:${killed.port}/`);
    await page.locator("summary", { hasText: "reviewer, cycle 1" }).click();
    await page.locator(".change > summary").click();
    await page.getByText("right", { exact: true }).waitFor(PATIENCE);
    expect(bad).toEqual([]);

    await kill(killed);
    await page.getByText("not connected").waitFor(PATIENCE);
    releaseModel(at);
    expect((await run.finished).code).toBe(0);
    await serve(at);
    await page.getByText("Approved after 1 cycle").waitFor(PATIENCE);
    await page.getByText("I am the reviewer").waitFor(PATIENCE);
    const report = lastRecord(await quasar(at, ["report", "--json"]));
    const events = report["events"] as readonly { readonly text: string }[];
    const shown = await page.locator(".events .what").allTextContents();
    expect(shown.toReversed()).toEqual(events.map(({ text }) => text));
    // What a browser says of a server that is not there.
    expect(bad.filter((each) => !each.includes("net::ERR_"))).toEqual([]);
    await page.reload();
    await page.getByText("Approved after 1 cycle").waitFor(PATIENCE);
  });

  test("a person answers and approves what is shown, and a page of another server learns nothing", async () => {
    const at = withDemo(FILES);
    expect((await quasar(at, applyArgs(at, TURNS))).code).toBe(5);
    const served = await serve(at);
    const { page, bad } = await pages.newPage({ viewport: { width: 375, height: 700 } });
    await page.goto(served.url);
    await page.getByText("2 need you").waitFor(PATIENCE);
    expect(await barriersIn(page)).toEqual([]);

    const dialog = page.getByRole("dialog");
    const confirm = (name: string) => dialog.getByRole("button", { name, exact: true });
    await page.getByRole("button", { name: "Answer" }).click();
    expect(await dialog.innerText()).toContain(SHOWN);
    expect(await confirm("Answer").isDisabled()).toBe(true);
    await confirm("8080").click();
    await confirm("Answer").click();
    await page.getByText("one: answered").waitFor(PATIENCE);

    await page.getByRole("button", { name: "Approve two" }).click();
    await dialog.getByText("two <b>.txt").waitFor(PATIENCE);
    expect(await dialog.innerText()).toContain(SHOWN);
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await barriersIn(page), colorScheme).toEqual([]);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(375);
    await confirm("Cancel").click();
    await page.getByRole("button", { name: "Approve two" }).click();
    await confirm("Approve").click();
    await page.getByText("two: accepted").waitFor(PATIENCE);
    await page.getByRole("button", { name: "Approve" }).waitFor({ state: "detached", ...PATIENCE });

    const { url } = await foreignServer();
    const other = await pages.newPage();
    await other.page.goto(url);
    const learned = await other.page.evaluate(attempts(served.port, served.token));
    expect(learned).toEqual(Array.from({ length: 5 }, () => "TypeError"));
    const framed = other.page.frames().map((frame) => frame.url());
    expect(framed).toEqual([url, "chrome-error://chromewebdata/"]);

    const end = await quasar(at, [...applyArgs(at, TURNS), "--resume"]);
    expect(end.code, end.stderr).toBe(0);
    await page.getByText("2 of 2 phases landed").waitFor(PATIENCE);
    expect(await page.getByRole("button", { name: "Pause" }).count()).toBe(0);
    expect(await page.evaluate("window.hacked")).toBe(undefined);
    expect(bad).toEqual([]);
  });
});

/** Serves an empty page on a port of its own. */
async function foreignServer(): Promise<{ readonly url: string }> {
  const server = createServer((_, response) => {
    response.writeHead(200, { "content-type": "text/html" }).end("<title>Other</title>");
  }).listen(0, "127.0.0.1");
  onTestFinished(() => server.closeAllConnections());
  await once(server, "listening");
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/` };
}

/** What a page of another server tries, even where it has the token; what became of each. */
function attempts(port: number, token: string): string {
  return `(async () => {
    const base = "http://127.0.0.1:${port}";
    const headers = { authorization: "Bearer ${token}" };
    const body = JSON.stringify({ verb: "pause", phase: "", attempt: 0, digest: "", questionId: "", text: "" });
    const frame = document.createElement("iframe");
    frame.src = base + "/";
    const framed = new Promise((resolve) => { frame.onload = resolve; });
    document.body.append(frame);
    await framed;
    const tries = [
      fetch(base + "/"),
      fetch(base + "/", { mode: "no-cors" }),
      fetch(base + "/events", { headers }),
      fetch(base + "/decide", { method: "POST", headers, body }),
      fetch(base + "/decide", { method: "POST", mode: "no-cors", body }),
    ];
    const ends = await Promise.allSettled(tries);
    return ends.map(({ reason }) => reason?.name ?? "answered");
  })()`;
}
