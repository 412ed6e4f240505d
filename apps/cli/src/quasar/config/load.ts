import { join } from "node:path";
import type { UserFolders } from "@quasar/runs/internal";
import { requireKnownAgents } from "../../shared/config/agent-spec.ts";
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
import { requireTrust, type TrustOptions } from "../../shared/config/trust.ts";

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
export function loadConfig({ trust, ...options }: LoadConfigOptions): readonly Layer[] {
  const { layers, asked } = readConfig(options);
  if (asked !== undefined) requireTrust({ ...asked, trust });
  return layers;
}

/** Settings as they are written, and what of the repository's needs a yes. */
export interface ReadConfig {
  /** Most important first. */
  readonly layers: readonly Layer[];
  readonly asked: Omit<TrustOptions, "trust"> | undefined;
}

/** All settings by precedence, for who asks for no yes. @throws as {@link loadConfig}, less `ERR_UNTRUSTED_CONFIG` */
export function readConfig(options: Omit<LoadConfigOptions, "trust">): ReadConfig {
  const { flags, env, cwd, root, folders } = options;
  const path = findRepositoryConfig(cwd, root);
  const read = path === undefined ? undefined : readConfigFile(path, tomlLayer);
  const repository = read && fromRepository(read);
  const all = [flagLayer(flags), envLayer(env), repository, readUserConfig(folders)];
  const layers = all.filter((layer) => layer !== undefined);
  requireKnownAgents(layers, "quasar agents");
  return {
    layers,
    asked:
      path === undefined || repository === undefined
        ? undefined
        : {
            path,
            guarded: toToml(guardedOf(repository)),
            workTree: root,
            stateDir: folders.state,
          },
  };
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

/**
 * What the user says wherever they are: by the environment, then by their own file.
 *
 * @throws {CliError} `ERR_CONFIG`
 */
export function userLayers(folders: UserFolders, env: LoadConfigOptions["env"]): readonly Layer[] {
  const user = readUserConfig(folders);
  return user === undefined ? [envLayer(env)] : [envLayer(env), user];
}

function readUserConfig({ config }: UserFolders): Layer | undefined {
  return readConfigFile(join(config, "config.toml"), tomlLayer);
}
