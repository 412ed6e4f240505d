import type { Run } from "../run.ts";
import { listPaths } from "../commit/untouchable.ts";

/** Keeps what the settings of the repository and its user are, before anything of the run works. */
export async function findSettings(run: Run): Promise<void> {
  const { repository } = run.ports;
  if (repository === undefined || !run.runKind.isLoop) return;
  try {
    run.foundSettings = await repository.settingsText();
  } catch {
    // What cannot be read now stops the first commit, and says why.
  }
}

/**
 * What has changed in these settings since the run found them, in words; `""`: nothing. Before a
 * commit it is reported, once: git hooks and filters that they name run in it.
 *
 * @see SPEC.md, "Settings of the repository"
 */
export async function changedSettings(run: Run): Promise<string> {
  const { repository } = run.ports;
  const { foundSettings: found } = run;
  if (repository === undefined || found === undefined) return "";
  const text = await repository.settingsText();
  if (text === found) return "";
  const [was, is] = await Promise.all(
    [found, text].map((each) => repository.steeringSettings(each)),
  );
  const changes = [...new Set([...(was?.keys() ?? []), ...(is?.keys() ?? [])])]
    .filter((name) => is?.get(name) !== was?.get(name))
    .map((name) => `${name}: ${shown(is?.get(name))} (was ${shown(was?.get(name))})`);
  if (changes.length === 0) return "";
  const list = listPaths(changes.map(withoutLogin)).join("; ");
  const words = `Git's settings changed in this run: ${list}.`;
  return run.settings.redact?.(words) ?? words;
}

/** Reports changed settings where the same was not reported before. */
export async function reportSettings(run: Run): Promise<void> {
  const words = await changedSettings(run);
  if (words === "" || words === run.reportedSettings) return;
  run.reportedSettings = words;
  await run.warn(words);
}

function shown(value: string | undefined): string {
  return value === undefined ? "not set" : JSON.stringify(value);
}

function withoutLogin(text: string): string {
  return text.replace(/:\/\/[^/@\s"]*@/gu, "://");
}
