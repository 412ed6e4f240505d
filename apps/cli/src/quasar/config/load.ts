import { join } from "node:path";
import type { UserFolders } from "@quasar/runs";
import { findRepositoryConfig, readConfigFile } from "../../shared/config/files.ts";
import {
  envLayer,
  type FlagValues,
  flagLayer,
  fromRepository,
  guardedOf,
  type Layer,
  tomlLayer,
  toToml,
  unkeptOf,
} from "../../shared/config/layers.ts";
import { requireTrust } from "../../shared/config/trust.ts";

export interface LoadConfigOptions {
  readonly flags: FlagValues;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the search for the repository's file begins. */
  readonly cwd: string;
  /** Where it ends. */
  readonly root: string;
  readonly folders: UserFolders;
  readonly trust: boolean;
}

/**
 * All settings by precedence: command line, environment, the repository's file, the user's file.
 *
 * @throws {CliError} `ERR_USAGE`, `ERR_CONFIG`, `ERR_UNSAFE_PATH`, `ERR_UNTRUSTED_CONFIG`.
 */
export function loadConfig(options: LoadConfigOptions): readonly Layer[] {
  const { flags, env, cwd, root, folders, trust } = options;
  const path = findRepositoryConfig(cwd, root);
  const read = path === undefined ? undefined : readConfigFile(path, tomlLayer);
  const repository = read && fromRepository(read);
  if (path !== undefined && repository !== undefined) {
    const guarded = toToml(guardedOf(repository));
    requireTrust({ path, guarded, workTree: root, stateDir: folders.state, trust });
  }
  const user = readUserConfig(folders);
  return [flagLayer(flags), envLayer(env), repository, user].filter((layer) => layer !== undefined);
}

/**
 * What a run does not keep, as the user's own file says it now.
 *
 * @throws {CliError} `ERR_CONFIG`
 */
export function loadUnkept(folders: UserFolders): readonly Layer[] {
  const user = readUserConfig(folders);
  return user === undefined ? [] : [unkeptOf(user)];
}

function readUserConfig({ config }: UserFolders): Layer | undefined {
  return readConfigFile(join(config, "config.toml"), tomlLayer);
}
