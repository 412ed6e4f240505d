import { existsSync, writeSync } from "node:fs";
import module from "node:module";
import { cacheFolder, makeOwnFolder } from "@quasar/runs/own-folder";
import { tidyTerminal } from "./left-screen.ts";
import { versionText } from "./version.ts";

/** `node:sqlite` is unflagged from 22.13 on, what the libraries use beside it from 22.18 on. */
const NODE_FLOOR = [22, 18] as const;

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return major < NODE_FLOOR[0] || (major === NODE_FLOOR[0] && minor < NODE_FLOOR[1]);
}

/** A command's program, which may use what an old Node lacks. */
interface Program {
  main(args: readonly string[], version: string): Promise<void>;
}

/** What a shell asks while a person types. */
interface Completion {
  complete(args: readonly string[]): Promise<void>;
}

/**
 * Starts a command, unless this is Windows, this Node is too old for it or only the version is asked for.
 *
 * @param load - Imports the program: nothing of it may be loaded before.
 * @param loadCompletion - Imports what `complete` needs, without the program.
 */
export async function launch(
  name: string,
  load: () => Promise<Program>,
  loadCompletion: () => Promise<Completion>,
): Promise<void> {
  const args = process.argv.slice(2);
  if (process.platform === "win32") {
    process.stderr.write(
      `error: ${name} does not run on Windows itself: use WSL 2, with Node and the agents in it\n` +
        "  next     wsl --install\n",
    );
    process.exitCode = 1;
  } else if (isOld(process.versions.node)) {
    process.stderr.write(
      `error: ${name} needs Node ${NODE_FLOOR.join(".")} or later; this is ${process.versions.node}\n` +
        `  next     npx -y -p node@24 node ${process.argv[1]}\n`,
    );
    process.exitCode = 1;
  } else if (args.length === 1 && /^(--version|-V)$/u.test(args[0] ?? "")) {
    // Not through process.stdout, which takes longer to come up than all of this.
    writeSync(1, `${versionText()}\n`);
  } else if (args[0] === "complete") {
    // Without the cache, into which Node would write.
    const { complete } = await loadCompletion();
    await complete(args.slice(1));
  } else {
    tidyTerminal();
    // What is compiled must not come from a folder that others can write to.
    const cache = cacheFolder();
    makeOwnFolder(cache);
    // Node would try for ever where it cannot be made.
    if (existsSync(cache)) module.enableCompileCache(cache);
    const { main } = await load();
    await main(args, versionText());
  }
}
