import { isAbsolute, join } from "node:path";

/** The user's own folders. */
export interface UserFolders {
  /** Of `config.toml`. */
  readonly config: string;
  /** Of the seal's key and of what the user has trusted. */
  readonly state: string;
}

/** By the XDG rules; a relative path there is not valid and counts as none. */
export function userFolders(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
): UserFolders {
  const folder = (variable: string, fallback: string): string => {
    const value = env[variable];
    const base = value !== undefined && isAbsolute(value) ? value : join(home, fallback);
    return join(base, "quasar");
  };
  return {
    config: folder("XDG_CONFIG_HOME", ".config"),
    state: folder("XDG_STATE_HOME", join(".local", "state")),
  };
}
