import { createHash } from "node:crypto";
import type { Checkpoint, LoadedCheckpoint } from "@quasar/checkpoint";
import { createCheckpointFiles } from "@quasar/checkpoint/testing";
import { createOnce, type FileSystem, readWholeFile } from "@quasar/durable";
import { openJournal, readJournal } from "@quasar/durable/journal";
import type { Value } from "@quasar/durable/testing";
import type { Act } from "./replay.ts";

/** What a reader finds of one kind of file of a run, and what the next process does before it reads. */
export interface Observer {
  readonly observe: (fs: FileSystem) => Value;
  readonly recover: (fs: FileSystem, random: (size: number) => Uint8Array) => void;
  /** What counts as an act. @default "any" */
  readonly act?: Act | undefined;
}

/** The run's checkpoint, or where it is no more, the archived one: whole, in one word. */
export function checkpointOf(runId: string): Observer {
  const dir = `/quasar/runs/${runId}`;
  return {
    observe: (fs) => {
      const found = currentOrArchived(dir, fs);
      if (found === undefined) return undefined;
      if (found.seal !== "digest") throw new Error(`the seal is ${found.seal}`);
      return inOneWord(found.checkpoint);
    },
    recover: (fs, random) => {
      createCheckpointFiles({ dir, fs, random, now: () => new Date(0) }).recover();
    },
  };
}

function currentOrArchived(dir: string, fs: FileSystem): LoadedCheckpoint | undefined {
  const load = (folder: string) => createCheckpointFiles({ dir: folder, fs }).load("");
  return load(dir) ?? load(`${dir}/archive`);
}

function inOneWord(checkpoint: Checkpoint): string {
  const { cycle, phase, turn } = checkpoint;
  const digest = createHash("sha256").update(JSON.stringify(checkpoint)).digest("hex").slice(0, 8);
  return `${cycle} ${phase} ${turn?.status ?? "-"} ${digest}`;
}

/** The run's journal, when a checkpoint is saved: how many records it has, and which is the last. */
export function journalOf(runId: string): Observer {
  const path = `/quasar/runs/${runId}/events.jsonl`;
  return {
    observe: (fs) => {
      const found = readJournal(path, { fs, joins: true });
      if (found?.damage !== undefined) throw new Error(found.damage.message);
      const count = found?.records.length ?? 0;
      return count === 0 ? undefined : `${count} ${JSON.stringify(found?.records.at(-1))}`;
    },
    recover: (fs, random) => {
      openJournal(path, { fs, random, joins: true, now: () => new Date(0) }).close();
    },
    act: "save",
  };
}

/**
 * The checkpoint beside the journal: what it counts as settled is told there, and nothing is reported
 * twice.
 */
export function bothOf(runId: string): Observer {
  const [checkpoint, journal] = [checkpointOf(runId), journalOf(runId)];
  const dir = `/quasar/runs/${runId}`;
  return {
    observe: (fs) => {
      const found = currentOrArchived(dir, fs);
      const facts = (readJournal(`${dir}/events.jsonl`, { fs, joins: true })?.records ?? [])
        .map(({ data }) => data as Fact)
        .filter(({ type }) => ONCE.has(type))
        .map(({ type, cycle, turnId }) => [type, cycle, turnId].join(" "));
      const twice = facts.find((fact, at) => facts.indexOf(fact) !== at);
      if (twice !== undefined) throw new Error(`told twice: ${twice}`);
      for (const { turnId, cycle, status } of found?.checkpoint.ledger ?? []) {
        if (status !== "settled" || facts.includes(`agent_done ${cycle} ${turnId}`)) continue;
        throw new Error(`settled, but not told: ${turnId}`);
      }
      return checkpoint.observe(fs);
    },
    recover: (fs, random) => {
      checkpoint.recover(fs, random);
      journal.recover(fs, random);
    },
  };
}

/**
 * The ends of turns, by the acts of the processes that watch the agents: an `.exit` is whole, and counts where the
 * output is there that it counts.
 */
export function turnsOf(runId: string): Observer {
  const dir = `/quasar/runs/${runId}/turns`;
  return {
    observe: (fs) => {
      const names = fs.lstat(dir) === undefined ? [] : fs.readdir(dir);
      const sizeOf = (name: string) => fs.lstat(`${dir}/${name}`)?.size;
      const ended = names.filter((name) => {
        if (!name.endsWith(".exit")) return false;
        const bytes = readWholeFile(`${dir}/${name}`, { fs, maxBytes: 1 << 20 });
        const { outBytes } = JSON.parse(Buffer.from(bytes ?? []).toString()) as {
          outBytes: number;
        };
        return sizeOf(name.replace(".exit", ".out")) === outBytes;
      });
      return ended.length === 0 ? undefined : ended.toSorted().join(" ");
    },
    recover: () => {},
    act: "spawn",
  };
}

/** The commit that the branch is at. */
export const branch: Observer = {
  observe: (fs) => {
    const bytes = readWholeFile("/heads/main", { fs, maxBytes: 1024 });
    return bytes && Buffer.from(bytes).toString().trim();
  },
  recover: () => {},
  act: "runner",
};

interface Fact {
  readonly type: string;
  readonly cycle: number;
  readonly turnId?: string | undefined;
}

const ONCE: ReadonlySet<string> = new Set([
  ...["agent_done", "committed", "review_complete", "task_success"],
]);

const SEAL_KEY = "/.local/state/quasar/seal.key";

/** The key that seals this user's checkpoints: without it they would count as somebody else's. */
export const sealKey: Observer = {
  observe: (fs) => {
    const bytes = readWholeFile(SEAL_KEY, { fs, maxBytes: 1024 });
    return bytes && createHash("sha256").update(bytes).digest("hex").slice(0, 8);
  },
  recover: (fs, random) => {
    if (fs.lstat(SEAL_KEY) !== undefined) createOnce(SEAL_KEY, random(32), 0o600, { fs, random });
  },
};
