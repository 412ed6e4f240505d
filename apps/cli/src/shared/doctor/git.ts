import type { CommitSetup } from "@quasar/git/setup";
import { count, shellWord } from "@quasar/runs/text";
import { join } from "node:path";
import { type Finding, ok, problem, warning } from "./finding.ts";
import { signingFinding, type SigningFacts } from "./signing.ts";

export interface GitFacts {
  /** `2.47.3`; `""`: it tells none. */
  readonly version: string;
  /** `undefined`: in no repository that can be worked in. */
  readonly tree: TreeFacts | undefined;
}

/** How a work tree stands before a run. */
export interface TreeFacts {
  readonly root: string;
  /** `""` while there is no commit. */
  readonly head: string;
  /** `undefined` where HEAD is on none. */
  readonly branch: string | undefined;
  readonly setup: CommitSetup;
  /** `undefined`: commits are not signed. */
  readonly signing: SigningFacts | undefined;
  /** Whether the program of Git LFS is on the PATH. */
  readonly hasLfs: boolean;
}

/** Of the first release that knows `safe.bareRepository`, which keeps a nested repository from being run in. */
const OLDEST_GIT = [2, 38] as const;

/** What of git would stand in the way of a run's commits. */
export function gitFindings({ version, tree }: GitFacts): readonly Finding[] {
  const where = tree?.branch === undefined ? "" : `, on branch ${tree.branch}`;
  const git = isOld(version)
    ? problem("git", `git ${version} is too old`, [`install git ${OLDEST_GIT.join(".")} or later`])
    : ok("git", `${version}${where}`);
  return [git, ...(tree === undefined ? [] : treeFindings(tree))];
}

function isOld(version: string): boolean {
  const [major = 0, minor = 0] = version.split(".").map(Number);
  return (
    version !== "" && (major < OLDEST_GIT[0] || (major === OLDEST_GIT[0] && minor < OLDEST_GIT[1]))
  );
}

function treeFindings(tree: TreeFacts): readonly Finding[] {
  return [
    ...headFindings(tree),
    ...unmergedFindings(tree.setup),
    ...shallowFindings(tree.setup),
    ...identityFindings(tree.setup),
    ...(tree.signing === undefined ? [] : [signingFinding(tree.signing)]),
    ...hookFindings(tree.setup),
    ...lfsFindings(tree),
  ];
}

function headFindings({ head, branch }: TreeFacts): readonly Finding[] {
  if (head === "") {
    const next = ["git add -A && git commit --allow-empty -m start"];
    return [problem("branch", "there is no commit yet: a run starts from one", next)];
  }
  if (branch !== undefined) return [];
  const message = "HEAD is on no branch, so a run's commits will be on none";
  return [warning("branch", message, ["git switch -c my-work"])];
}

function unmergedFindings({ unmerged }: CommitSetup): readonly Finding[] {
  if (unmerged.length === 0) return [];
  const [first = ""] = unmerged;
  const more = unmerged.length === 1 ? "" : ` and ${count(unmerged.length - 1, "other file")}`;
  const message = `${first}${more}: conflicts are not resolved, and git commits nothing before`;
  return [problem("index", message, ["git status   # then resolve the conflicts"])];
}

function shallowFindings({ isShallow }: CommitSetup): readonly Finding[] {
  if (!isShallow) return [];
  const message = "the clone is shallow: how commits are related cannot always be said";
  return [warning("history", message, ["git fetch --unshallow"])];
}

function identityFindings({ unsetIdentity, standIn }: CommitSetup): readonly Finding[] {
  if (unsetIdentity.length === 0) return [];
  const what = unsetIdentity.join(" and ");
  const verb = unsetIdentity.length === 1 ? "is" : "are";
  const message = `${what} ${verb} not set: commits are by ${standIn.name} <${standIn.email}>`;
  const values = { "user.name": '"Your Name"', "user.email": "you@example.com" };
  const next = unsetIdentity.map((key) => `git config --global ${key} ${values[key]}`);
  return [warning("identity", message, next)];
}

function hookFindings({ hooks }: CommitSetup): readonly Finding[] {
  const { path, isConfigured, isThere, active, inactive } = hooks;
  if (isConfigured && !isThere) {
    const message = `core.hooksPath names ${path}, which is not there: no git hook runs`;
    return [warning("hooks", message, ["git config --show-origin --get core.hooksPath"])];
  }
  const run = ok("hooks", `at each commit: ${active.join(", ")} (${path})`);
  const passedOver = inactive.map((name) => {
    const message = `${name} may not be executed, so git passes over it`;
    return warning("hooks", message, [`chmod +x ${shellWord(join(path, name))}`]);
  });
  return [...(active.length > 0 ? [run] : []), ...passedOver];
}

function lfsFindings({ setup: { lfs }, hasLfs }: TreeFacts): readonly Finding[] {
  const { files, isInstalled } = lfs;
  if (files === 0) return [];
  const what = count(files, "file");
  if (isInstalled && hasLfs) return [ok("lfs", `${what} under Git LFS`)];
  if (isInstalled) {
    const message = `${what} under Git LFS, and there is no program git-lfs: git cannot add one`;
    return [problem("lfs", message, ["install git-lfs: https://git-lfs.com"])];
  }
  const message = `${what} under Git LFS, which is not set up: a new one is committed in full`;
  const first = hasLfs ? [] : ["install git-lfs: https://git-lfs.com"];
  return [warning("lfs", message, [...first, "git lfs install && git lfs pull"])];
}
