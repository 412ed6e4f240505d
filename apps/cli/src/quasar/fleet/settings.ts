import { join } from "node:path";
import { openUser, type UserFolders } from "@quasar/runs/internal";
import { cleanLine, fit } from "@quasar/runs/text";
import { serverUrl } from "../../shared/config/kinds.ts";
import { resolve } from "../../shared/config/layers.ts";
import { CliError } from "../../shared/errors.ts";
import { userLayers } from "../config/load.ts";

/** The fleet that a user works with. */
export interface FleetSettings {
  /** Of the server's ingress; `undefined`: no fleet is configured. */
  readonly url: string | undefined;
  /** Where the fleet's key is, or will be. */
  readonly keyFile: string;
  /** Paths and URLs of git repositories. */
  readonly depots: readonly string[];
}

/** What a user has typed of a fleet. */
export interface FleetFlags {
  /** `--fleet` */
  readonly url?: string | undefined;
}

export interface UserSurroundings {
  readonly folders: UserFolders;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * The fleet as a user names it: by flags, the environment and their own configuration. What a repository says is not
 * read, since it would name a server that gets the user's work.
 *
 * @throws {CliError} `ERR_USAGE`, `ERR_CONFIG`
 */
export function fleetSettings(
  { url: typed }: FleetFlags = {},
  { folders, env }: UserSurroundings = { folders: openUser().folders, env: process.env },
): FleetSettings {
  if (typed !== undefined) requireUrl("--fleet", typed);
  const { fleetUrl, fleetKeyFile, fleetDepots } = resolve(userLayers(folders, env));
  const url = typed ?? fleetUrl;
  return {
    url: url === "" ? undefined : url,
    keyFile: fleetKeyFile === "" ? join(folders.config, "fleet.key") : fleetKeyFile,
    depots: fleetDepots,
  };
}

/** @throws {CliError} `ERR_USAGE` where what is typed for a flag is no server's address. */
export function requireUrl(flag: string, typed: string): string {
  if (typed !== "" && serverUrl.fromText(typed) !== undefined) return typed;
  const given = fit(cleanLine(typed), 100);
  throw new CliError("ERR_USAGE", `${flag} must be ${serverUrl.expected}, not ${given}`);
}
