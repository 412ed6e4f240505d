import { detectAgents } from "@quasar/agents/presets";
import { openFilesLimit } from "@quasar/process/files";
import type { Workspace } from "@quasar/runs";
import { problemOf } from "../checks/runnable.ts";
import { readSpec } from "../config/agent-spec.ts";
import type { Settings } from "../config/settings.ts";
import type { Translate } from "../fail.ts";
import { agentFindings } from "./agents.ts";
import { commandFinding } from "./command.ts";
import { diskFinding } from "./disk.ts";
import type { Finding } from "./finding.ts";
import { folderFindings } from "./folders.ts";
import { gitFindings } from "./git.ts";
import { lookAtCommand } from "./look-at-command.ts";
import { lookAtDisks } from "./look-at-disks.ts";
import { lookAtFolders, type TriedFolder } from "./look-at-folders.ts";
import { lookAtGit } from "./look-at-git.ts";
import { openFilesFindings } from "./open-files.ts";
import { tried } from "./tried.ts";

/** Where a run would be, of whichever program. */
export interface Place {
  readonly cwd: string;
  /** `undefined` where the folder is in none that can be worked in. */
  readonly tree: Workspace | undefined;
  /** The user's own folders that the program writes in. */
  readonly folders: readonly TriedFolder[];
  /** `undefined` where they cannot be known. */
  readonly settings: Pick<Settings, "coder" | "reviewer" | "passEnv" | "ownAgents"> | undefined;
  /** The program's name, and another one that an installation may have. */
  readonly name: string;
  readonly otherName: string | undefined;
  /** The command that has agents work: `quasar run`. */
  readonly start: string;
  readonly translate: Translate;
}

/**
 * Looks at what a run depends on: agents, git, disks, folders, limits, and whose the command's name is. Changes nothing,
 * asks no network, and starts nothing that a repository names. What cannot be read is a finding.
 */
export async function lookAround(place: Place): Promise<readonly Finding[]> {
  const { cwd, tree, name, otherName, translate } = place;
  const searchPath = process.env["PATH"] ?? "";
  const look = async (
    check: string,
    act: () => Findings | Promise<Findings>,
  ): Promise<Findings> => {
    const { value = [], findings } = await tried(check, translate, act);
    return [...value, ...findings];
  };
  const folders = [...foldersOf(tree), ...place.folders];
  const looks = [
    look("agents", () => lookAtAgents(place)),
    look("git", async () => gitFindings(await lookAtGit(cwd, tree))),
    look("disk", () => lookAtDisks(folders).map(diskFinding)),
    look("folders", () => folderFindings(lookAtFolders(folders))),
    look("limits", () => openFilesFindings(openFilesLimit())),
    look("command", () => {
      const main = process.argv[1] ?? "";
      return [commandFinding(lookAtCommand({ name, otherName, main, searchPath }))];
    }),
  ];
  return (await Promise.all(looks)).flat();
}

type Findings = readonly Finding[];

function foldersOf(tree: Workspace | undefined): readonly TriedFolder[] {
  if (tree === undefined) return [];
  const { root, repositoryId, stateDir } = tree;
  return [
    { what: "work tree", path: root, isOwn: false, isSpare: false },
    { what: "git folder", path: repositoryId, isOwn: false, isSpare: false },
    { what: "runs", path: stateDir, isOwn: true, isSpare: false },
  ];
}

async function lookAtAgents(place: Place): Promise<Findings> {
  const { settings, start, cwd, tree } = place;
  const names = settings === undefined ? [] : [settings.coder, settings.reviewer];
  const named = [...new Set(names)].flatMap((name) => {
    const spec = readSpec(name, settings?.ownAgents ?? {});
    return spec === undefined ? [] : [spec];
  });
  const around = { workTree: tree?.root ?? cwd, searchPath: process.env["PATH"] ?? "" };
  const problemOfLine = (line: string): string | undefined => problemOf(line, around);
  const found = await detectAgents({ passEnv: settings?.passEnv });
  return agentFindings({ named, found, problemOfLine, start });
}
