import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
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

/** For the page: reports on the console each thing that its policy has forbidden. */
const WATCH_POLICY = `addEventListener("securitypolicyviolation", ({ violatedDirective }) => {
  console.error("violates " + violatedDirective);
})`;

/** An empty page, and what happens in it that happens in no page of Quasar's. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors on the console, violations of the page's policy. */
  readonly bad: string[];
}

export interface Pages {
  /** A page with a memory of its own, which the browser forgets when the tests end. */
  newPage(options?: BrowserContextOptions): Promise<WatchedPage>;
}

/** One browser for all tests of a file. */
export function usePages(): Pages {
  let browser: Browser | undefined;
  beforeAll(async () => {
    if (!hasNoBrowser) browser = await chromium.launch({ executablePath: EXECUTABLE, args: ARGS });
  });
  afterAll(async () => {
    await browser?.close();
  });
  return {
    async newPage(options = {}) {
      if (browser === undefined) throw new Error("there is no browser");
      const context = await browser.newContext({ timezoneId: "UTC", ...options });
      const page = await context.newPage();
      const bad: string[] = [];
      page.on("console", (message) => bad.push(`console: ${message.text()}`));
      page.on("pageerror", (error) => bad.push(`error: ${error.message}`));
      await page.addInitScript(WATCH_POLICY);
      return { page, bad };
    },
  };
}

/**
 * What axe finds in a page that is a barrier for somebody, in words.
 *
 * @param options - Of `axe.run`, as JavaScript. @default all of its rules
 */
export async function barriersIn(page: Page, options = "{}"): Promise<unknown> {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(readFileSync(axe, "utf8"));
  return page.evaluate(`axe.run(${options}).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" "))
  )`);
}
