import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
// @boundaries-ignore the model stub of the real agents is for all tests that run them
import {
  type ModelScript,
  type ModelStub,
  startModelStub,
} from "../../../../packages/agents/real/model-stub.ts";
import { FILES } from "./model.ts";
import { aNewcomer, HOME_SHOWN, type NewcomerOptions } from "./newcomer.ts";
import { lasting } from "./same.ts";
import type { Typed } from "./typed.ts";

const SCREENS = new URL("../../../../docs/screens/", import.meta.url);

/** A screen as it is kept, and as it was this time. */
interface Compared {
  readonly file: string;
  readonly kept: string;
  readonly shown: string;
}

/** Lines that a newcomer types in a small project of theirs, and the screens that they see. */
export interface Session {
  readonly home: string;
  readonly repo: string;
  git(...args: string[]): string;
  type(line: string): Typed;
  /** Takes what can be read of a line for the screen of that name. */
  keep(name: string, typed: Typed): void;
  /** Types a line, and keeps its screen once it has ended. @param answers - What is typed to its question. */
  shows(name: string, line: string, end?: { code?: number; answers?: string }): Promise<void>;
  compared(): readonly Compared[];
  close(): Promise<void>;
}

export interface SessionOptions extends Omit<NewcomerOptions, "url"> {
  readonly script: (repo: string, home: string) => ModelScript;
}

export async function aSession({ script, ...options }: SessionOptions): Promise<Session> {
  const stub: ModelStub = await startModelStub(() => ({}));
  const ada = await aNewcomer({ ...options, url: stub.url });
  const repo = join(ada.home, "shop");
  stub.script = script(repo, ada.home);
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(repo, path)), { recursive: true });
    writeFileSync(join(repo, path), text);
  }
  ada.git(repo, "init", "--quiet", "--initial-branch=main");
  ada.git(repo, "add", "--all");
  ada.git(repo, "commit", "--quiet", "--message=Start");

  const compared: Compared[] = [];
  const type = (line: string): Typed => ada.type(line, repo);
  const keep: Session["keep"] = (name, typed) => {
    const file = `${name}${options.output === "piped" ? ".piped" : ""}.txt`;
    const screen = typed
      .screen()
      .replaceAll(ada.home, HOME_SHOWN)
      .replaceAll(` on ${hostname()},`, " on laptop,");
    const shown = `$ ${typed.line}\n${screen}`;
    const path = new URL(file, SCREENS);
    const kept = existsSync(path) ? readFileSync(path, "utf8") : "";
    const rewrites = process.env["UPDATE_DOCS"] === "1" && lasting(kept) !== lasting(shown);
    if (rewrites) writeFileSync(path, shown);
    compared.push({ file, kept: rewrites ? shown : kept, shown });
  };
  return {
    home: ada.home,
    repo,
    git: (...args) => ada.git(repo, ...args),
    type,
    keep,
    async shows(name, line, { code = 0, answers } = {}) {
      const typed = type(line);
      if (answers !== undefined) {
        await typed.sees("[y/N]");
        typed.answer(`${answers}\n`);
      }
      const left = await typed.finished;
      if (left !== code) throw new Error(`${line} left with ${left}:\n${typed.screen()}`);
      keep(name, typed);
    },
    compared: () => compared,
    async close() {
      ada.remove();
      await stub.close();
    },
  };
}
