import { createHash } from "node:crypto";
import { type CheckpointStore, createMemoryCheckpointStore } from "@quasar/checkpoint";
import type { Checkpoint } from "@quasar/checkpoint";
import type { Commit } from "@quasar/git";
import type { SeenWork } from "@quasar/git/internal";
import { type LoopRepository, openLoopRepository } from "../src/repository/repository.ts";
import type { WorkTree } from "./work-tree.ts";

/** What a simulated work tree and its history can do; a real repository serves as well. */
export interface SimulatedTree {
  readonly store: CheckpointStore;
  readonly workTree: string;
  readonly repository: LoopRepository;
  read(): string;
  /** The file as it is in HEAD: what a careful agent starts from. */
  committed(): string;
  write(text: string): void;
  subjects(): readonly string[];
  /** All that is in the tree, committed or not. */
  files(): Readonly<Record<string, string>>;
  /** What the file was in each snapshot, oldest first. */
  kept(): readonly string[];
}

/** What others may do to a repository while no runner is there. */
export interface Meddling {
  /** Edits the tree. */
  edit(): void;
  /** Commits by hand. */
  commit(): void;
  /** Takes the branch one commit back. */
  reset(): void;
  /** Checks out another branch, or the first one again. */
  switch(): void;
}

interface MemoryCommit extends Commit {
  readonly tree: string;
}

/** A work tree and a history in memory. */
export function createMemoryTree(
  store: CheckpointStore = createPlainStore(),
): SimulatedTree & { readonly meddling: Meddling } {
  const commits = new Map<string, MemoryCommit>();
  const branches = new Map<string, string>();
  const kept: string[] = [];
  let branch = "main";
  let tree = "";
  const head = (): string => branches.get(branch) ?? "";
  const committed = (): string => commits.get(head())?.tree ?? "";
  const add = (subject: string, trailers: Commit["trailers"] = new Map()): string => {
    const sha = commits.size.toString(16).padStart(40, "a");
    const parents = head() === "" ? [] : [head()];
    commits.set(sha, { sha, parents, subject, trailers, tree });
    branches.set(branch, sha);
    return sha;
  };
  /** Oldest first. */
  const history = (sha: string): readonly MemoryCommit[] => {
    const commit = commits.get(sha);
    return commit === undefined ? [] : [...history(commit.parents[0] ?? ""), commit];
  };
  const look = (): SeenWork => ({
    head: head(),
    branch,
    dirty: tree === committed() ? [] : [{ path: "file", status: ".M" }],
    caches: [],
    submodules: [],
    unread: [],
    config: new Map(),
  });
  add("first");
  branches.set("side", add("second"));
  return {
    store,
    workTree: "/nowhere",
    read: () => tree,
    committed,
    write: (text) => {
      tree = text;
    },
    subjects: () =>
      history(head())
        .slice(2)
        .map(({ subject }) => subject),
    files: () => ({ file: tree }),
    kept: () => kept,
    repository: {
      treeMark: () => "simulated",
      currentHead: async () => look(),
      look: async () => look(),
      syncWork: async () => look(),
      lostWork: async () => [],
      facts: async (since) => {
        const [past, present] = [history(since), history(head())];
        const commits = present.filter((commit) => !past.includes(commit));
        const isBehind = commits.length === 0;
        const isAhead = past.every((commit) => present.includes(commit));
        const moved = isAhead ? "ahead" : isBehind ? "behind" : "diverged";
        return {
          ...look(),
          isUnborn: false,
          isDetached: false,
          isBare: false,
          isShallow: false,
          operation: undefined,
          relation: since === head() ? "same" : moved,
          commits,
          actions: new Map(),
        };
      },
      landed: async (_from, to) => ({
        tree: idOf(commits.get(to)?.tree ?? ""),
        links: [],
        files: [],
      }),
      emptyFolders: async () => [],
      asCheckedOut: async () => ({ converted: [], notExecutable: [] }),
      hidden: async () => [],
      changedByOutsideRules: async () => [],
      contents: (paths) => paths.map((path) => ({ path, mode: "100644", id: idOf(tree) })),
      storeContents: async () => undefined,
      treeOfChanges: async () => ({ kind: "conflicts", paths: [] }),
      putBack: async () => {
        tree = committed();
        return [];
      },
      changeTimes: () => new Map(),
      takenOut: async () => [],
      commit: async ({ subject, taskId, cycle, turnId }) => {
        if (tree === committed()) return undefined;
        const trailers = {
          "Quasar-Task": [taskId],
          "Quasar-Cycle": [String(cycle)],
          "Quasar-Turn": [turnId],
        };
        const sha = add(subject, new Map(Object.entries(trailers)));
        return { sha, changes: { files: 1, added: 1, removed: 1 } };
      },
      usesConventionalCommits: async () => false,
      submodulePaths: () => new Set(),
      snapshot: async ({ runId }) => {
        if (tree === committed()) return undefined;
        kept.push(tree);
        const n = kept.length;
        return { n, ref: `refs/quasar/${runId}/${n}`, sha: n.toString(16).padStart(40, "b") };
      },
      commitsSince: async (from) => {
        if (!commits.has(from)) return undefined;
        const known = new Set(history(from));
        return history(head()).filter((commit) => !known.has(commit));
      },
      changedPaths: async () => [],
      reflogActions: async () => new Map(),
      commitsLeftAside: async () => [],
      stashedSince: async () => [],
      newlyIgnored: async () => ({ rules: [], paths: [], isCut: false }),
      controls: {
        changes: async () => [],
        hidden: async () => ({}),
        restoreHidden: async () => [],
        accepted: [],
      },
    },
    meddling: {
      edit: () => {
        tree = `${tree}(edited)`;
      },
      commit: () => {
        tree = `${tree}(by hand)`;
        add("by hand");
      },
      reset: () => {
        const [parent] = commits.get(head())?.parents ?? [];
        if (parent === undefined) return;
        branches.set(branch, parent);
        tree = committed();
      },
      switch: () => {
        branch = branch === "main" ? "side" : "main";
        tree = committed();
      },
    },
  };
}

function idOf(text: string): string {
  return createHash("sha1").update(text).digest("hex");
}

/** Keeps the checkpoint as it is given: for many runs. */
function createPlainStore(): CheckpointStore {
  let stored: Checkpoint | undefined;
  return {
    save: async (checkpoint) => {
      stored = checkpoint;
    },
    load: async () =>
      stored && { checkpoint: stored, source: "current", seal: "none", problems: [] },
    loadAll: async () => ({ checkpoints: new Map(), problems: [] }),
    remove: async () => {
      stored = undefined;
    },
  };
}

/** A repository of git's. */
export async function createGitTree(tree: WorkTree): Promise<SimulatedTree> {
  tree.write("file", "");
  tree.git("add", "-A");
  tree.git("commit", "-q", "-m", "an empty file");
  const repository = await openLoopRepository(tree.dir);
  if (repository === undefined) throw new Error("no repository");
  return {
    store: createMemoryCheckpointStore(),
    workTree: tree.dir,
    repository,
    read: () => tree.files()["file"] ?? "",
    committed: () => tree.git("show", "HEAD:file"),
    write: (text) => tree.write("file", text),
    subjects: () => tree.subjects().slice(1),
    files: () => tree.files(),
    kept: () =>
      tree
        .git("for-each-ref", "--sort=version:refname", "--format=%(refname)", "refs/quasar")
        .split("\n")
        .filter(Boolean)
        .map((ref) => tree.git("show", `${ref}:file`)),
  };
}
