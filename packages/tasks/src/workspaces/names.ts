import { TasksError } from "../errors.ts";

/**
 * The name of a workspace: its description in lower case, white space as `-`, of the rest only `a-z 0-9 -`,
 * at most 50. `task-YYYYMMDD-HHMMSS` (UTC) where nothing of it is left.
 */
export function workspaceNameOf(description: string, now: Date): string {
  const name = description
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/[\s_/-]+/g, "-")
    .replaceAll(/[^a-z0-9-]+/g, "")
    .replaceAll(/-+/g, "-")
    .replace(/^-/, "")
    .slice(0, 50)
    .replace(/-$/, "");
  return name === "" ? `task-${stampOf(now)}` : name;
}

/** @throws {TasksError} `ERR_UNSAFE_ID` unless it is 1 to 60 of `A-Z a-z 0-9 _ -`, a letter or digit first. */
export function checkWorkspaceName(name: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9_-]{0,59}$/.test(name)) return name;
  const shown = JSON.stringify(name.slice(0, 100));
  const message = `${shown} cannot be a workspace's name: 1 to 60 of A-Z a-z 0-9 _ -`;
  throw new TasksError("ERR_UNSAFE_ID", message);
}

/** `name`, `name-2`, `name-3` … */
export function* numbered(name: string): Generator<string> {
  yield name;
  for (let n = 2; ; n += 1) yield `${name}-${n}`;
}

/**
 * The first name for a branch that nothing is in the way of: `<prefix>/<workspace>`, with the time at its
 * end where that is taken, with `-` for `/` where a branch has the prefix's name.
 *
 * @param refs - All that there are, of remotes too.
 */
export function branchNameOf(
  { prefix, workspace, now }: { prefix: string; workspace: string; now: Date },
  refs: readonly string[],
): string {
  const taken = new Set(refs.map((ref) => branchIn(ref).toLowerCase()));
  const above = new Set([...taken].flatMap(foldersOf));
  const isFree = (name: string): boolean =>
    ![name, ...foldersOf(name)].some((each) => taken.has(each)) && !above.has(name);
  const stamp = stampOf(now);
  const names = [`${prefix}/${workspace}`, `${prefix}/${workspace}-${stamp}`];
  const flat = [`${prefix}-${workspace}`, `${prefix}-${workspace}-${stamp}`];
  const found = [...names, ...flat].find((name) => isFree(name.toLowerCase()));
  if (found !== undefined) return found;
  throw new TasksError("ERR_EXISTS", `there are branches called ${names.join(" and ")} already`);
}

/** Of a branch here or of a remote's; `""` for what is none. */
function branchIn(ref: string): string {
  return /^refs\/(?:heads|remotes\/[^/]+)\/(.+)$/.exec(ref)?.[1] ?? "";
}

function foldersOf(name: string): readonly string[] {
  const parts = name.split("/");
  return parts.slice(1).map((_, index) => parts.slice(0, index + 1).join("/"));
}

/** `20261122-025619`, in UTC. */
function stampOf(now: Date): string {
  return now.toISOString().slice(0, 19).replaceAll(/[-:]/g, "").replace("T", "-");
}
