import { rmSync } from "node:fs";
import {
  type Checkpoint,
  createMemoryCheckpointStore,
  type CheckpointStore,
} from "@quasar/checkpoint";
import { onTestFinished } from "vitest";
import type { LoopEvent } from "../src/event.ts";
import type { LoopOptions } from "../src/options.ts";
import { APPROVAL, fakeAgent, writingCoder } from "./fake-agent.ts";
import { createFolder, createWorkTree, type WorkTree } from "./work-tree.ts";

/** A work tree that goes away with its test. */
export function aWorkTree(): WorkTree {
  const tree = createWorkTree();
  onTestFinished(() => tree.remove());
  return tree;
}

/** An empty folder outside of any repository, that goes away with its test. */
export function aFolder(): string {
  const dir = createFolder();
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

/** How the warning begins that each run in a repository starts with. */
export const TREE_EDITS = "Don't edit files here";

export interface Harness {
  readonly tree: WorkTree;
  readonly store: CheckpointStore;
  readonly events: LoopEvent[];
  readonly options: LoopOptions;
  /** What happened, one line each; left out are what agents say and the warning of each run. */
  trace(): readonly string[];
  stored(): Promise<Checkpoint>;
}

/** A loop in a work tree of its own: a coder that writes, a reviewer that approves. */
export function harness(options: Partial<LoopOptions> = {}): Harness {
  const tree = aWorkTree();
  const store = createMemoryCheckpointStore();
  const events: LoopEvent[] = [];
  return {
    tree,
    store,
    events,
    options: {
      workTree: tree.dir,
      coder: writingCoder(),
      reviewer: fakeAgent([APPROVAL]),
      runId: "run",
      checkpoint: { store, granularity: "turn" },
      onEvent: (event) => void events.push(event),
      ...options,
    },
    trace: () =>
      events
        .filter(({ type }) => type !== "agent_event")
        .map(lineOf)
        .filter((line) => !line.startsWith(`warning ${TREE_EDITS}`)),
    async stored() {
      const loaded = await store.load();
      if (loaded === undefined) throw new Error("nothing is stored");
      return loaded.checkpoint;
    },
  };
}

function lineOf(event: LoopEvent): string {
  switch (event.type) {
    case "agent_start":
      return `${event.type} ${event.role} ${event.turnId}${event.attempt > 1 ? ` again ${event.attempt}` : ""}`;
    case "agent_done":
      return `${event.type} ${event.role}`;
    case "check_done":
      return `${event.type} ${event.name} ${event.passed ? "passed" : "failed"}`;
    case "review_complete":
      return `${event.type} ${event.cycle} ${event.approved ? "approved" : `${event.findings.length} found`}`;
    case "task_failed":
      return `${event.type} ${event.cycle} ${event.reason}`;
    case "turn_recovered":
      return `${event.type} ${event.role} ${event.how}`;
    case "turn_retry":
      return `${event.type} ${event.role} ${event.retry} of ${event.most} in ${event.waitMs / 1000} s`;
    case "warning":
      return `${event.type} ${event.message}`;
    case "committed":
      return event.sha === undefined ? `${event.type} nothing` : event.type;
    default:
      return `${event.type} ${event.cycle}`;
  }
}
