import { existsSync } from "node:fs";
import { basename, join } from "node:path";
import { readWholeFile, replaceFile } from "@quasar/durable";
import { isTracked } from "@quasar/git/internal";
import { checkpointPath, type CompatibleIn, messageOf } from "@quasar/runs/internal";
import {
  decodeGoState,
  encodeGoState,
  GO_STATE_FILE,
  type GoState,
  type GoStatus,
} from "../spec/go-state.ts";
import { nebulaCost } from "./cost.ts";
import type { NebulaState, PhaseStatus } from "./state.ts";

const MAX_BYTES = 16 * 1024 * 1024;

/** nebula.state.toml in a nebula's folder, which follows its state. */
export interface Mirror {
  /** Has it show a state soon; one that comes meanwhile takes its place. */
  follow(state: NebulaState): void;
  /** Where the checkpoint of a phase's run is kept beside it; `undefined`: git tracks a file of that name, which is left alone. */
  checkpointOf(phaseId: string): Promise<CompatibleIn | undefined>;
  /** Returns when it shows the last. */
  settled(): Promise<void>;
}

export interface MirrorOptions {
  /** The git folder that all work trees share. */
  readonly commonDir: string;
  /** The nebula's folder. */
  readonly dir: string;
  readonly name: string;
  /** Whether a person has asked for it; else it is written where it is there already. */
  readonly isAsked: boolean;
  /** Called once with why it cannot be written: it stops nothing. */
  readonly warn: (message: string) => void;
}

/**
 * The mirror of a nebula's state for who reads what the Go original writes; `undefined` where there is to be none. What
 * git tracks is left alone, and so is a file that cannot be read: what others have in it is never lost.
 */
export async function openMirror({
  commonDir,
  dir,
  name: nebulaName,
  isAsked,
  warn,
}: MirrorOptions): Promise<Mirror | undefined> {
  const path = join(dir, GO_STATE_FILE);
  if (!existsSync(dir) || (!isAsked && !existsSync(path))) return undefined;
  if (await isTracked(dir, GO_STATE_FILE)) {
    if (isAsked) warn(`${path} is tracked by git: it is not written`);
    return undefined;
  }
  let wanted: NebulaState | undefined;
  let writing: Promise<void> | undefined;
  const write = async (): Promise<void> => {
    try {
      while (wanted !== undefined) {
        const state = wanted;
        wanted = undefined;
        const { total } = await nebulaCost(commonDir, state);
        const kept = readGoState(path);
        const bytes = Buffer.from(encodeGoState(mirrored(state, total.spentUsd, kept)));
        replaceFile(path, bytes, { keepPrevious: false });
      }
      writing = undefined;
    } catch (error) {
      // It is not tried again: `writing` stays.
      warn(`${path} is not written: ${messageOf(error)}`);
    }
  };
  return {
    follow(state) {
      wanted = state;
      writing ??= write();
    },
    async checkpointOf(phaseId) {
      const isOthers = await isTracked(dir, basename(checkpointPath(dir, phaseId)));
      return isOthers ? undefined : { dir, phaseId, nebulaName };
    },
    settled: async () => writing,
  };
}

/** What a state file of the Go original says; `undefined`: there is none. @throws {NebulaError} where it cannot be read */
export function readGoState(path: string): GoState | undefined {
  const bytes = readWholeFile(path, { maxBytes: MAX_BYTES });
  return bytes && decodeGoState(Buffer.from(bytes).toString()).state;
}

/** A state as the Go original keeps it. What it has of its own stays: its issues, reports and keys that are not known. */
export function mirrored(
  { name, phases, createdAt }: NebulaState,
  totalCostUsd: number,
  before: GoState | undefined,
): GoState {
  const kept = new Map(before?.phases);
  for (const { id, status, updatedAt } of phases) {
    const had = kept.get(id);
    kept.set(id, {
      beadId: had?.beadId ?? "",
      status: goStatusOf(status),
      createdAt: had?.createdAt ?? createdAt,
      updatedAt,
      report: had?.report,
      extra: had?.extra ?? {},
    });
  }
  return { nebulaName: name, totalCostUsd, phases: kept, extra: before?.extra ?? {} };
}

/** What a state of a phase is called in nebula.state.toml. */
export function goStatusOf(status: PhaseStatus): GoStatus {
  return GO_STATUS_OF[status];
}

const GO_STATUS_OF = {
  pending: "pending",
  running: "in_progress",
  queued: "in_progress",
  landing: "in_progress",
  awaiting_human: "in_progress",
  done: "done",
  failed: "failed",
  skipped: "skipped",
} as const satisfies Readonly<Record<PhaseStatus, GoStatus>>;
