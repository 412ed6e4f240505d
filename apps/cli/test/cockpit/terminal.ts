import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { type IPty, spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { onTestFinished } from "vitest";
import { MAIN, type Place } from "../harness.ts";

/** Milliseconds in which a slow machine shows what is waited for. */
const PATIENCE_MS = 90_000;

export interface TerminalOptions {
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
}

/** A shell in a real terminal of a place, and what a person sees on it. */
export class Terminal {
  readonly #pty: IPty;
  readonly #screen: xterm.Terminal;
  readonly #watchers = new Set<() => void>();
  #hasCursor = true;

  constructor(at: Place, { columns = 80, rows = 24, env = {} }: TerminalOptions = {}) {
    this.#screen = new xterm.Terminal({ cols: columns, rows, allowProposedApi: true });
    for (const [final, isShown] of [
      ["h", true],
      ["l", false],
    ] as const) {
      this.#screen.parser.registerCsiHandler({ prefix: "?", final }, (params) => {
        if (params.includes(25)) this.#hasCursor = isShown;
        return false;
      });
    }
    const inputrc = join(at.outside, "inputrc");
    writeFileSync(inputrc, "set enable-bracketed-paste off\n");
    const usual = { TERM: "xterm-256color", LANG: "C.UTF-8", PS1: "[$?] ", INPUTRC: inputrc };
    const own = { ...at.env, ...usual, ...env };
    // With jobs, as a person's shell has them.
    const args = ["--norc", "--noprofile", "-i"];
    this.#pty = spawn("bash", args, { cols: columns, rows, cwd: at.repo, env: own });
    this.#pty.onData((text) => {
      this.#screen.write(text, () => {
        for (const watch of this.#watchers) watch();
      });
    });
    onTestFinished(() => this.#pty.kill("SIGKILL"));
  }

  /** Types `quasar` with arguments into the shell. */
  quasar(...args: readonly string[]): void {
    this.type(`${[process.execPath, MAIN, ...args].join(" ")}\r`);
  }

  type(text: string): void {
    this.#pty.write(text);
  }

  resize(columns: number, rows: number): void {
    this.#screen.resize(columns, rows);
    this.#pty.resize(columns, rows);
  }

  /** The rows that are seen, without the spaces at their ends. */
  text(): string {
    const { active } = this.#screen.buffer;
    const rows = Array.from({ length: this.#screen.rows }, (_, row) => {
      return active.getLine(active.baseY + row)?.translateToString(true) ?? "";
    });
    return rows.join("\n");
  }

  /** Whether it is as a shell has it: its own screen, a cursor, lines that wrap, pasted text as it is. */
  isUsual(): boolean {
    const { modes, buffer } = this.#screen;
    const hasUsualModes = modes.wraparoundMode && !modes.bracketedPasteMode && this.#hasCursor;
    return buffer.active.type === "normal" && hasUsualModes;
  }

  /** Closes its window. */
  close(): void {
    this.#pty.kill("SIGHUP");
  }

  /** Resolves once the shell asks for the next command. @param code - That the last one has left with. */
  async prompt(code: number): Promise<void> {
    await this.until(() => this.text().trimEnd().endsWith(`[${code}]`));
  }

  /** Resolves once the screen has a text, or is as is asked. @throws With the screen, where that takes too long. */
  until(what: string | RegExp | (() => boolean)): Promise<void> {
    const isThere = (): boolean => {
      if (typeof what === "function") return what();
      return typeof what === "string" ? this.text().includes(what) : what.test(this.text());
    };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const timer = setTimeout(() => {
      const seen = this.text();
      reject(new Error(`${String(what)} is not on the screen:\n${seen}`));
    }, PATIENCE_MS);
    const watch = (): void => {
      if (isThere()) resolve();
    };
    this.#watchers.add(watch);
    watch();
    return promise.finally(() => {
      clearTimeout(timer);
      this.#watchers.delete(watch);
    });
  }

  /** The process id of the command that works in the shell. */
  pid(): number {
    const list = execFileSync("ps", ["-o", "pid=,args=", "--ppid", String(this.#pty.pid)]);
    const line = String(list)
      .split("\n")
      .find((each) => each.includes(MAIN));
    return Number.parseInt(line ?? "", 10);
  }
}
