import { barriersIn, hasNoBrowser } from "@quasar/vitest/browser";
import { describe, expect, test } from "vitest";
import { type ReportData, renderReport } from "../src/index.ts";
import { aNebulaReport } from "./a-nebula.ts";
import { aRun, aRunReport, aTranscript, aTurn } from "./a-run.ts";
import { unfoldAll, useBrowser } from "./browser.ts";
import { HOSTILE } from "./hostile.ts";

const htmlOf = (data: ReportData): string => renderReport(data, { redactionDigest: "3f2a" }).html;

const REPORTS = { run: aRunReport(), nebula: aNebulaReport() } as const;

describe.skipIf(hasNoBrowser)("in a browser", () => {
  const browser = useBrowser();

  test.for(["run", "nebula"] as const)(
    "a %s's report is whole, asks for nothing, and fits a telephone",
    async (kind) => {
      const { page, bad } = await browser.open(htmlOf(REPORTS[kind]));
      await unfoldAll(page);
      const text = await page.locator("body").innerText();
      for (const words of ["Timeline", "0 turns paid for again", "I add the check.", "git diff "]) {
        expect(text).toContain(words);
      }
      await page.setViewportSize({ width: 375, height: 700 });
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(375);
      if (kind === "nebula") expect(text).toContain("validated tree = delivered tree");
      expect(await page.locator("tr.added").count()).toBeGreaterThan(0);
      expect(bad).toEqual([]);
    },
  );

  test.for(["run", "nebula"] as const)("axe finds no barrier in a %s's report", async (kind) => {
    const { page } = await browser.open(htmlOf(REPORTS[kind]));
    await unfoldAll(page);
    // The other colours change nothing else.
    const options = { light: "{}", dark: '{ runOnly: "color-contrast" }' } as const;
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      expect(await barriersIn(page, options[colorScheme]), colorScheme).toEqual([]);
    }
  });

  test("hostile texts are shown and do nothing", async () => {
    const [small, long] = [HOSTILE.slice(0, -1), HOSTILE.slice(-1)];
    const run = aRun({
      task: small.join("\n"),
      turns: HOSTILE.map((text, n) => aTurn(n + 1, { summary: text, denied: [text] })),
      findings: HOSTILE.map((description, n) => {
        const id = `f-${n}`;
        return {
          id,
          severity: description.slice(0, 80),
          description,
          cycle: 1,
          status: "found",
          life: [],
        };
      }),
      events: HOSTILE.map((text) => ({ at: "", type: "x", turnId: "", text })),
      problems: small,
    });
    const transcripts = HOSTILE.map((text, n) => aTranscript(`k3f9x2.${n + 1}`, text, text));
    const diffs = run.commits.map(({ sha }, n) => {
      const text = small.map((line) => `+${line}`).join("\n");
      const name = '"b/\\342\\200\\256\\033<b>x"'; // as git quotes it
      const head = `diff --git ${name} ${name}\n--- ${name}\n+++ ${name}\n`;
      const whole = `${head}@@ -0,0 +1,${small.length} @@\n${text}\n`;
      return { sha, from: "0".repeat(40), text: n === 0 ? text : whole };
    });
    const { page, bad } = await browser.open(htmlOf({ kind: "run", run, transcripts, diffs }));
    await unfoldAll(page);
    expect(await page.evaluate("window.hacked")).toBe(undefined);
    const strange =
      "img, iframe, form, input, link, base, animate, [onload], [onerror], a[href^=java]";
    expect(await page.locator(strange).count()).toBe(0);
    const text = (await page.locator("#report").textContent()) ?? "";
    const shown = [small[0], small[5], small[9], long[0]?.slice(0, 1000)];
    // Escapes of texts, and of a file's name that git had quoted.
    const escaped = ["\\u{202e}gnp.exe\\u{202c}", "\\u{202e}\\u{1b}<b>x"];
    const missing = [...shown, ...escaped].filter((each = "?") => !text.includes(each));
    expect(missing).toEqual([]);
    expect(/\p{Cf}/u.test(text)).toBe(false);
    expect(bad).toEqual([]);
  });

  test("the keyboard alone reads all of it", async () => {
    const { page } = await browser.open(htmlOf(REPORTS.run));
    await page.keyboard.press("Tab");
    const focused = () => page.evaluate(() => document.activeElement?.textContent ?? "");
    expect(await focused()).toBe("The whole task");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByText("Reject empty names").isVisible()).toBe(true);
    const bar = page.locator(".lane-line a").first();
    while (!(await bar.evaluate((element) => element === document.activeElement))) {
      await page.keyboard.press("Tab");
    }
    expect(await page.getByRole("status").innerText()).toContain("coder, cycle 1, done");
    await page.keyboard.press("ArrowRight");
    expect(await page.getByRole("status").innerText()).toContain("cycle 2, cut off");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#turn-k3f9x2\\.3").getAttribute("open")).not.toBe(null);
    // No more the bar that led there, which says so too.
    const isThere = () =>
      page.evaluate(() => document.activeElement?.closest("#turn-k3f9x2\\.3") !== null);
    await expect.poll(isThere).toBe(true);
    expect(await focused()).toContain("cut off");
    await page.keyboard.press("Tab");
    expect(await focused()).toBe("prompt");
    await page.keyboard.press("Enter");
    await expect.poll(() => page.getByText("Make it so.").isVisible()).toBe(true);
    await page.keyboard.press("Tab");
    expect(await focused()).toContain("attempt 2");
  });

  test("a print has dark text on white, and no controls", async () => {
    const { page } = await browser.open(htmlOf(REPORTS.run), { colorScheme: "dark" });
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    const colours = await page.evaluate(() => {
      const { color, backgroundColor } = getComputedStyle(document.body);
      return [color, backgroundColor];
    });
    expect(colours).toEqual(["rgb(27, 30, 36)", "rgb(255, 255, 255)"]);
    expect(await page.getByRole("navigation").isVisible()).toBe(false);
  });

  test("eight megabytes are there within a second", async () => {
    const turns = Array.from({ length: 200 }, (_, n) => aTurn(n + 1));
    const text = "A line that an agent wrote while it worked.\n".repeat(820);
    const transcripts = turns.map(({ turnId }) => aTranscript(turnId, text));
    const events = Array.from({ length: 5000 }, (_, n) => {
      return { at: aTurn(1).startedAt, type: "x", turnId: "", text: `event ${n}` };
    });
    const html = htmlOf({ ...aRunReport({ transcripts }), run: aRun({ turns, events }) });
    expect(html.length).toBeGreaterThan(7_500_000);
    const { page, usedSeconds, drawnWhile } = await browser.open(html);
    // Nothing waits for the transcripts to be read, and what is drawn takes little of a processor: a busy machine takes
    // longer for the same.
    expect(await drawnWhile()).toMatchObject({
      state: "loading",
      transcripts: expect.toSatisfy((count: number) => count < 10),
    });
    expect(await usedSeconds()).toBeLessThan(1);
    expect(await page.locator(".events li").count()).toBe(200);
    await page.getByRole("button", { name: "Show 200 more of 4800 events" }).click();
    expect(await page.locator(".events li").count()).toBe(400);
    const before = await usedSeconds();
    await page.locator("#turn-k3f9x2\\.150 > summary").click();
    await page.locator("#turn-k3f9x2\\.150 .said").first().waitFor();
    expect((await usedSeconds()) - before).toBeLessThan(1);
  });
});
