import { createHash } from "node:crypto";
import { TOKEN_KEY } from "@quasar/page/live";
import { cleanLine, jsonLine } from "@quasar/runs/text";
import { messageOf } from "@quasar/runs/internal";
import { CliError } from "../../shared/errors.ts";
import type { ExitCode } from "../../shared/exit-codes.ts";
import { EXIT } from "../../shared/exit-codes.ts";
import { listenForInterrupts } from "../../shared/interrupts.ts";
import { whole } from "../../shared/config/kinds.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import { write } from "../../shared/output/reporter.ts";
import { numberOf } from "../../shared/typed-number.ts";
import { findWatched, type Watched } from "../runs/find-watched.ts";
import type { WebLine } from "../schemas/web.ts";
import { type Address, keptAddresses, newToken } from "../web/address.ts";
import { createFeed } from "../web/feed.ts";
import { openBrowser } from "../web/open-browser.ts";
import { openServer, type ServerOptions, type WebServer } from "../web/server.ts";
import { openSubject } from "../web/subject.ts";

export interface WebOptions {
  readonly port?: string | undefined;
  /** Whether a browser shows it. */
  readonly open?: true | undefined;
  readonly json?: true | undefined;
}

/** `quasar web`: the report's page, live, until it is interrupted. */
export async function webCommand(
  named: string | undefined,
  { port: typed, open, json }: WebOptions,
): Promise<ExitCode> {
  const port = numberOf("--port", typed, whole(0, 65_535));
  const watched = await findWatched(named);
  const subject = await openSubject(watched);
  const feed = createFeed(subject, (error) => cleanLine(messageOf(error)));
  const ended = Promise.withResolvers<void>();
  const interrupts = listenForInterrupts(() => ended.resolve());
  const kept = keptAddresses(keyOf(watched));
  const server = await openAnywhere({ subject, feed }, kept.read(), port);
  const { address } = server;
  let closeBrowser = (): void => {};
  try {
    const isKept = kept.keep(address);
    const url = `http://127.0.0.1:${address.port}/#${TOKEN_KEY}=${address.token}`;
    if (open === true) closeBrowser = await openBrowser(url);
    tell(watched, { url, isKept }, json);
    await ended.promise;
  } finally {
    closeBrowser();
    feed.close();
    await server.close();
    kept.forget(address);
    interrupts.stop();
  }
  return interrupts.exitCode() ?? EXIT.ok;
}

/** The same run or nebula of the same repository, whichever copy of it there may be. */
function keyOf({ id, workspace }: Watched): string {
  return createHash("sha256").update(`${workspace.repositoryId}\n${id}`).digest("hex").slice(0, 32);
}

interface OpenServer extends Pick<WebServer, "close"> {
  readonly address: Address;
}

/**
 * Where a server was killed, its pages are open: they find the next one at the same port, with the same token. Elsewhere
 * that token is not used. The ports of servers that run are taken.
 *
 * @param typed - The port that a person has typed; `undefined`: none.
 * @throws {CliError} `ERR_LOCKED` where that port is taken.
 */
async function openAnywhere(
  parts: Pick<ServerOptions, "subject" | "feed">,
  kept: readonly Address[],
  typed: number | undefined,
): Promise<OpenServer> {
  const isAny = typed === undefined || typed === 0;
  const tries = [
    ...kept.filter((address) => isAny || address.port === typed),
    { port: typed ?? 0, token: newToken() },
  ];
  for (const { port, token } of tries) {
    const server = await openServer({ ...parts, port, token }).catch(orTaken);
    if (server !== undefined)
      return { close: () => server.close(), address: { port: server.port, token } };
  }
  const next = ["quasar web --port 0"];
  throw new CliError("ERR_LOCKED", `port ${typed} is taken, or may not be used`, { next });
}

/** @throws What is not about the port. */
function orTaken(error: unknown): undefined {
  const code = (error as NodeJS.ErrnoException).code ?? "";
  if (code !== "EADDRINUSE" && code !== "EACCES") throw error;
}

const MAY = {
  run: "sees what you see",
  nebula: "sees and decides as you do",
} as const satisfies Record<Watched["kind"], string>;

interface Told {
  readonly url: string;
  /** Whether the address outlives a killed server. */
  readonly isKept: boolean;
}

function tell({ kind, id }: Watched, { url, isKept }: Told, json: true | undefined): void {
  if (json === true) {
    const line: WebLine = { v: JSON_VERSION, type: "web", kind, id, url };
    process.stdout.write(jsonLine(line));
    return;
  }
  write(process.stdout, [url]);
  write(process.stderr, [
    `This shows the ${kind} ${id}. Anyone who has the address ${MAY[kind]}: keep it to yourself.`,
    ...(isKept ? [] : ["Nothing can be kept here: if this is killed, open pages end with it."]),
    "Ctrl-C ends the page; the work continues.",
  ]);
}
