import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { usePages, type WatchedPage } from "@quasar/vitest/browser";
import type { BrowserContextOptions, Page } from "playwright-core";
import { afterAll } from "vitest";

const OWN_WORK: ReadonlySet<string> = new Set(
  ["Script", "Layout", "RecalcStyle"].map((what) => `${what}Duration`),
);

/** A page that a browser shows; of `bad` is also a request for anything but the page itself. */
export interface OpenPage extends WatchedPage {
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
  const pages = usePages();
  const dir = mkdtempSync(join(tmpdir(), "quasar-page-"));
  let count = 0;
  afterAll(() => rmSync(dir, { recursive: true }));
  return {
    async open(html, options) {
      const { page, bad } = await pages.newPage(options);
      count += 1;
      const path = join(dir, `report ${count}.html`);
      writeFileSync(path, html);
      const url = pathToFileURL(path).href;
      page.on("request", (request) => {
        if (request.url().split("#")[0] !== url) bad.push(`request of ${request.url()}`);
      });
      const session = await page.context().newCDPSession(page);
      await session.send("Performance.enable", { timeDomain: "threadTicks" });
      const usedSeconds = async (): Promise<number> => {
        const { metrics } = await session.send("Performance.getMetrics");
        const own = metrics.filter(({ name }) => OWN_WORK.has(name));
        return own.reduce((sum, { value }) => sum + value, 0);
      };
      await page.addInitScript(() => {
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
