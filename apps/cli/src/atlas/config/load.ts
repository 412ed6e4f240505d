import { dirname, join, resolve as resolvePath } from "node:path";
import { cleanLine } from "@quasar/runs/text";
import { parseTemplate, type Template } from "@quasar/tasks/templates";
import { requireKnownAgents } from "../../shared/config/agent-spec.ts";
import { findRepositoryConfig, readConfigFile } from "../../shared/config/files.ts";
import type { FlagValuesOf, LayerOf } from "../../shared/config/table.ts";
import { requireTrust, type TrustOptions } from "../../shared/config/trust.ts";
import { CliError } from "../../shared/errors.ts";
import { readInput } from "../../shared/read-input.ts";
import { ATLAS, type AtlasSettings } from "./settings.ts";

export type AtlasLayer = LayerOf<AtlasSettings>;

/** The folder of a repository's own settings. */
export const FOLDER = ".atlas";

export interface LoadConfigOptions {
  readonly flags: FlagValuesOf<AtlasSettings>;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where the search for the repository's file begins. */
  readonly cwd: string;
  /** Where it ends: the work tree's root. `undefined`: outside a repository, or it is not heard. */
  readonly root: string | undefined;
  /** ATLAS_HOME. */
  readonly home: string;
  /** `--trust-config` */
  readonly trust: boolean;
}

/** The settings that hold, and what to tell of them. */
export interface LoadedConfig {
  readonly settings: AtlasSettings;
  readonly warnings: readonly string[];
}

/**
 * All settings by precedence: command line, environment, the repository's file, the user's file.
 * Templates of both files are there; of one name, the repository's.
 *
 * @throws {CliError} `ERR_USAGE`, `ERR_CONFIG`, `ERR_UNSAFE_PATH`, `ERR_UNTRUSTED_CONFIG`.
 */
export function loadConfig({ trust, ...options }: LoadConfigOptions): LoadedConfig {
  const { layers, asked } = readConfig(options);
  if (asked !== undefined) requireTrust({ ...asked, trust });
  const templates = layers.reduceRight<Readonly<Record<string, string>>>(
    (known, { values }) => ({ ...known, ...values.templates }),
    {},
  );
  return {
    settings: { ...ATLAS.resolve(layers), templates },
    warnings: layers.flatMap(({ warnings }) => warnings),
  };
}

/** Settings as they are written, and what of the repository's needs a yes. */
export interface ReadConfig {
  /** Most important first. */
  readonly layers: readonly AtlasLayer[];
  readonly asked: Omit<TrustOptions, "trust"> | undefined;
}

/** All settings by precedence, for who asks for no yes. @throws as {@link loadConfig}, less `ERR_UNTRUSTED_CONFIG` */
export function readConfig(options: Omit<LoadConfigOptions, "trust">): ReadConfig {
  const { flags, env, home, root, cwd } = options;
  const path = root === undefined ? undefined : findRepositoryConfig(cwd, root, FOLDER);
  const read = path === undefined ? undefined : readLayer(path);
  const repository = read && ATLAS.fromRepository(read);
  const all = [ATLAS.flagLayer(flags), ATLAS.envLayer(env), repository, readLayer(userFile(home))];
  const layers = all.filter((layer) => layer !== undefined);
  requireKnownAgents(layers, "atlas agents");
  return {
    layers,
    asked:
      path === undefined || repository === undefined || root === undefined
        ? undefined
        : {
            path,
            guarded: ATLAS.toToml(ATLAS.guardedOf(repository)),
            workTree: root,
            stateDir: home,
          },
  };
}

/**
 * What a task does not keep, as the user's own file says it now.
 *
 * @throws {CliError} `ERR_CONFIG`
 */
export function loadUnkept(home: string): readonly AtlasLayer[] {
  const user = readLayer(userFile(home));
  return user === undefined ? [] : [ATLAS.unkeptOf(user)];
}

/**
 * What the user says wherever they are: by the environment, then by their own file.
 *
 * @throws {CliError} `ERR_CONFIG`
 */
export function userLayers(home: string, env: LoadConfigOptions["env"]): readonly AtlasLayer[] {
  const user = readLayer(userFile(home));
  return user === undefined ? [ATLAS.envLayer(env)] : [ATLAS.envLayer(env), user];
}

const userFile = (home: string): string => join(home, "config.toml");

/** Paths in a file are from the file's folder. */
function readLayer(path: string): AtlasLayer | undefined {
  const layer = readConfigFile(path, ATLAS.tomlLayer);
  const { templates } = layer?.values ?? {};
  if (layer === undefined || templates === undefined) return layer;
  const entries = Object.entries(templates);
  const absolute = entries.map(([name, file]) => [name, resolvePath(dirname(path), file)] as const);
  return { ...layer, values: { ...layer.values, templates: Object.fromEntries(absolute) } };
}

const MAX_TEMPLATE_BYTES = 256 * 1024;

/**
 * The user's own templates. Their id is the name that the settings give them.
 *
 * @throws {CliError} `ERR_CONFIG` for a file that is missing or no good. {TasksError} `ERR_TEMPLATE`
 */
export function loadTemplates({ templates }: AtlasSettings): readonly Template[] {
  return Object.entries(templates).map(([id, path]) => {
    const options = { maxBytes: MAX_TEMPLATE_BYTES, code: "ERR_CONFIG" } as const;
    const text = readInput(path, options);
    if (text === undefined) {
      throw new CliError("ERR_CONFIG", `template ${id}: there is no file ${cleanLine(path)}`);
    }
    return { ...parseTemplate(text), id };
  });
}
