import { TasksError } from "@quasar/tasks";
import { listTemplates, type Template } from "@quasar/tasks/templates";
import type { Candidate } from "../../shared/completion/values.ts";
import { CliError } from "../../shared/errors.ts";
import { loadConfig, loadTemplates } from "../config/load.ts";
import { atlasHome } from "../home.ts";
import { rootOf } from "../root.ts";

/** The templates by their ids, those of the user and of a trusted repository included. */
export async function findTemplates(): Promise<readonly Candidate[]> {
  return listTemplates(await custom()).map(({ id, description }) => [id, description]);
}

async function custom(): Promise<readonly Template[]> {
  const { env } = process;
  const cwd = process.cwd();
  const root = await rootOf(cwd);
  try {
    const home = atlasHome(env);
    return loadTemplates(loadConfig({ flags: {}, env, cwd, root, home, trust: false }).settings);
  } catch (error) {
    // A file that is wrong, or not trusted: atlas templates says so.
    if (error instanceof CliError || error instanceof TasksError) return [];
    throw error;
  }
}
