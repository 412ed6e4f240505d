import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { chromium, type Browser, type BrowserContextOptions, type Page } from "playwright-core";
import { afterAll, beforeAll } from "vitest";

/** Without a browser the tests fail; they are left out only where this says so. */
export const hasNoBrowser: boolean = process.env["QUASAR_NO_BROWSER"] === "1";

/** Debian's, or the one of other systems. */
const EXECUTABLE =
  ["/usr/bin/chromium", "/usr/bin/google-chrome"].find(existsSync) ?? "/usr/bin/chromium";
const ARGS = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
].concat(["--disable-background-networking", "--disable-component-update", "--disable-sync"]);

const OWN_WORK: ReadonlySet<string> = new Set(
  ["Script", "Layout", "RecalcStyle"].map((what) => `${what}Duration`),
);

/** A page that a browser shows, and what it did there that no report does. */
export interface OpenPage {
  readonly page: Page;
  /** Requests for anything but the page itself, errors on the console, violations of the page's policy. */
  readonly bad: string[];
  /** Seconds of a processor that the page's script and its layout have taken so far. */
  usedSeconds(): Promise<number>;
  /** What the browser had read of the page when the report was drawn. */
  drawnWhile(): Promise<unknown>;
}

export interface Opener {
  /** Shows a page from a file; the browser forgets it all when the tests end. */
  open(html: string, options?: BrowserContextOptions): Promise<OpenPage>;
}

/** One browser for all tests of a file. */
export function useBrowser(): Opener {
  let browser: Browser | undefined;
  const dir = mkdtempSync(join(tmpdir(), "quasar-page-"));
  let count = 0;
  beforeAll(async () => {
    if (!hasNoBrowser) browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGS });
  });
  afterAll(async () => {
    await browser?.close();
    rmSync(dir, { recursive: true });
  });
  return {
    async open(html, options = {}) {
      if (browser === undefined) throw new Error("there is no browser");
      count += 1;
      const path = join(dir, `report ${count}.html`);
      writeFileSync(path, html);
      const context = await browser.newContext({ timezoneId: "UTC", ...options });
      const page = await context.newPage();
      const url = pathToFileURL(path).href;
      const bad: string[] = [];
      page.on("request", (request) => {
        if (request.url().split("#")[0] !== url) bad.push(`request of ${request.url()}`);
      });
      page.on("console", (message) => bad.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => bad.push(`error: ${error.message}`));
      const session = await context.newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      const usedSeconds = async (): Promise<number> => {
        const { metrics } = await session.send("Performance.getMetrics");
        const own = metrics.filter(({ name }) => OWN_WORK.has(name));
        return own.reduce((sum, { value }) => sum + value, 0);
      };
      await page.addInitScript(() => {
        addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
          console.error(`violates ${violatedDirective}`);
        });
        const observer = new MutationObserver(() => {
          if (document.querySelector("footer") === null) return;
          const transcripts = document.querySelectorAll("[id^=transcript-]").length;
          Object.assign(window, { drawnWhile: { state: document.readyState, transcripts } });
          observer.disconnect();
        });
        observer.observe(document, { childList: true, subtree: true });
      });
      await page.goto(url);
      await page.getByRole("contentinfo").waitFor();
      return { page, bad, usedSeconds, drawnWhile: () => page.evaluate("drawnWhile") };
    },
  };
}

/** Opens each fold, and those within. */
export async function unfoldAll(page: Page): Promise<void> {
  const closed = page.locator("details:not([open]) > summary:visible");
  while ((await closed.count()) > 0) {
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll("details")) fold.open = true;
    });
    await page.evaluate(() => new Promise((drawn) => setTimeout(drawn, 50)));
  }
}
