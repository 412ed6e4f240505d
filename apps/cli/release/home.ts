import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Expected, expectTyped, type Typed, type } from "./shell.ts";

/** The home of a user who has node, npm and git, and nothing else; whose npm reaches no registry. */
export interface Home {
  readonly dir: string;
  /** Where `npm install -g` puts commands. */
  readonly bin: string;
  readonly env: Readonly<Record<string, string>>;
  /** What commands have left in the folder for temporary files; npm's own cache aside. */
  leftovers(): readonly string[];
  /** Types lines into a shell of it. @param cwd - @default the home */
  type(line: string, cwd?: string): Promise<Typed>;
  /** As `type`. @throws {UnexpectedError} where it is not as expected: left with 0, unless that is said */
  expect(line: string, expected?: Expected, cwd?: string): Promise<Typed>;
}

/** Port 9 is for what is thrown away: nothing is asked of it. */
const NO_REGISTRY = "http://127.0.0.1:9/";

export interface HomeOptions {
  /** The file of its Node. @default this process's */
  readonly node?: string | undefined;
  /** Ends what is typed, with all that it has started. */
  readonly signal?: AbortSignal | undefined;
}

/** @param dir - Made anew. */
export function createHome(
  dir: string,
  { node = process.execPath, signal }: HomeOptions = {},
): Home {
  const prefix = join(dir, "prefix");
  const bin = join(prefix, "bin");
  const tmp = join(dir, "tmp");
  mkdirSync(tmp, { recursive: true });
  writeFileSync(join(dir, ".gitconfig"), "[user]\n  name = Ada\n  email = ada@localhost\n");
  const env = {
    HOME: dir,
    TMPDIR: tmp,
    PATH: [bin, dirname(node), "/usr/local/bin", "/usr/bin", "/bin"].join(":"),
    npm_config_prefix: prefix,
    npm_config_registry: NO_REGISTRY,
    npm_config_offline: "true",
    npm_config_audit: "false",
    npm_config_fund: "false",
    npm_config_update_notifier: "false",
  };
  const home: Home = {
    dir,
    bin,
    env,
    leftovers: () => readdirSync(tmp).filter((name) => name !== "node-compile-cache"),
    type: (line, cwd = dir) => type(line, { cwd, env, signal }),
    expect: async (line, expected, cwd) => expectTyped(await home.type(line, cwd), expected),
  };
  return home;
}
