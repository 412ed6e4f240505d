import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { Config } from "./config.ts";
import type { Repository } from "./repository.ts";

/** Where a user keeps what git reads beside a repository; these need not be there. */
export interface UserFiles {
  /** Settings; both are read. */
  readonly settings: readonly [string, string];
  /** Ignore rules: what `core.excludesFile` names, be it in the repository's settings. */
  readonly ignore: string;
  /** The same of `core.attributesFile`. */
  readonly attributes: string;
}

/** A path as a setting names it. @param from - Absolute path of the folder that it is relative to. */
export function namedPath(
  path: string,
  from: string,
  environment: NodeJS.ProcessEnv = process.env,
): string {
  if (path.startsWith("~/")) return join(homeOf(environment), path.slice(2));
  return isAbsolute(path) ? path : join(from, path);
}

function homeOf(environment: NodeJS.ProcessEnv): string {
  return environment["HOME"] || homedir();
}

/** @see gitconfig(5), "core.excludesFile", "core.attributesFile" and "FILES" */
export function userFiles(
  { root }: Pick<Repository, "root">,
  config: Config,
  environment: NodeJS.ProcessEnv = process.env,
): UserFiles {
  const home = homeOf(environment);
  const folder = join(environment["XDG_CONFIG_HOME"] || join(home, ".config"), "git");
  const named = (name: string, usual: string): string => {
    const path = config.get(name) ?? "";
    return path === "" ? join(folder, usual) : namedPath(path, root, environment);
  };
  return {
    settings: [join(home, ".gitconfig"), join(folder, "config")],
    ignore: named("core.excludesfile", "ignore"),
    attributes: named("core.attributesfile", "attributes"),
  };
}
