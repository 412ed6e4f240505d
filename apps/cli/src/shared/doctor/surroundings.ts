import { detectAgents } from "@quasar/agents";
import type { Workspace } from "@quasar/runs";
import { problemOf } from "../checks/runnable.ts";
import type { Settings } from "../config/settings.ts";
import { agentFindings } from "./agents.ts";
import { diskFinding } from "./disk.ts";
import type { Finding } from "./finding.ts";
import { lookAtDisks, type Written } from "./look-at-disks.ts";

/** Where a run would be, of whichever program. */
export interface Place {
  readonly cwd: string;
  /** `undefined` where the folder is in none that can be worked in. */
  readonly tree: Workspace | undefined;
  /** The user's own folders that the program writes in. */
  readonly folders: readonly Written[];
  /** `undefined` where they cannot be known. */
  readonly settings: Pick<Settings, "coder" | "reviewer" | "passEnv"> | undefined;
  /** The command that has agents work: `quasar run`. */
  readonly start: string;
}

/** Looks at what a run depends on: agents, disks. Changes nothing, and asks no network. */
export async function lookAround(place: Place): Promise<readonly Finding[]> {
  const { tree, folders } = place;
  const agents = lookAtAgents(place);
  const trees: readonly Written[] =
    tree === undefined
      ? []
      : [
          { what: "work tree", path: tree.root },
          { what: "git folder", path: tree.repositoryId },
        ];
  const disks = lookAtDisks([...trees, ...folders]);
  return [...(await agents), ...disks.map(diskFinding)];
}

async function lookAtAgents(place: Place): Promise<readonly Finding[]> {
  const { settings, start, cwd, tree } = place;
  const named = settings === undefined ? [] : [settings.coder, settings.reviewer];
  const around = { workTree: tree?.root ?? cwd, searchPath: process.env["PATH"] ?? "" };
  const broken = named.flatMap((spec): readonly (readonly [string, string])[] => {
    const [, line] = /^command:(.*)$/su.exec(spec) ?? [];
    const why = line === undefined ? undefined : problemOf(line, around);
    return why === undefined ? [] : [[spec, why]];
  });
  const found = await detectAgents({ passEnv: settings?.passEnv });
  return agentFindings({ named, found, broken: Object.fromEntries(broken), start });
}
