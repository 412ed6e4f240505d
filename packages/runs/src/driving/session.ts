import { existsSync } from "node:fs";
import { join } from "node:path";
import { endRunProcesses } from "@quasar/agents/turns";
import type { LoopEvent } from "@quasar/loop";
import { messageOf } from "../errors.ts";
import type { Tell } from "../events.ts";
import { ownFact } from "../journal/facts.ts";
import type { Fact } from "../journal/fact.ts";
import { openRunJournal, type RunJournal } from "../journal/journal.ts";
import type { Workspace } from "../workspace.ts";
import { Hold } from "./hold.ts";
import { forgetRun, lockWorkspace, noteRun } from "./lock.ts";
import { watchFolder } from "./watch-folder.ts";

/** The process that works in a work tree: nobody else runs there meanwhile. */
export interface Driver {
  readonly workspace: Workspace;
  /** To be asked before anything of the run is written, removed or ended. */
  readonly hold: Hold;
  /** The run that is worked on; `undefined` before one is. */
  runId(): string | undefined;
  /** Reports what happens; what the runner itself did or saw goes to the run's journal too. */
  readonly tell: Tell;
  /** Ends the agents of the run at once, where this process still drives. */
  endAgents(): Promise<void>;
}

/** How somebody follows what a runner does, and has it stop. */
export interface DriveOptions {
  readonly onEvent?: Tell | undefined;
  /** Aborted: the agent is cancelled and the state saved. @default never */
  readonly signal?: AbortSignal | undefined;
  /** Called once the work tree is locked, before anything else is done. */
  readonly onDriving?: ((driver: Driver) => void) | undefined;
}

/** A runner's stay in a work tree. */
export interface Session extends Driver {
  readonly signal: AbortSignal;
  /** Has something done whenever the files of the work tree's runs may have been removed. */
  onRemoved(restore: () => void): void;
  /**
   * Says which run is worked on: to others who ask, and for the end in a hurry. From here on facts go
   * to its journal, those that came before at once.
   */
  begin(runId: string): void;
  /** Keeps an event of the loop on record. Throws where that fails. */
  record(event: LoopEvent): void;
  /** Returns once a power cut cannot take what is on record. Throws where that fails. */
  syncRecord(): void;
  /** Keeps a fact of the runner's own on record; where that fails it is said. */
  note(fact: Fact): void;
}

/**
 * Works in a work tree under its lock.
 *
 * @throws {RunsError} `ERR_LOCKED`, and what the body throws.
 */
export async function inSession<T>(
  workspace: Workspace,
  { onEvent = () => {}, signal = NEVER, onDriving }: DriveOptions,
  body: (session: Session) => Promise<T>,
): Promise<T> {
  const lock = await lockWorkspace(workspace);
  const warn = (message: string): void => onEvent({ type: "warning", cycle: 0, message });
  const restorers = new Set<() => void>();
  const waiting: Fact[] = [];
  let current: string | undefined;
  let journal: RunJournal | undefined;
  let obstacle: string | undefined;
  /** Whoever has removed files may have put what is in the way in their place. It is checked each second. */
  const restoreFiles = (): void => {
    try {
      journal?.restore();
      for (const restore of restorers) restore();
      obstacle = undefined;
    } catch (error) {
      const message = `files of the run were removed while it runs, and cannot be written again: ${messageOf(error)}`;
      if (message !== obstacle) warn(message);
      obstacle = message;
    }
  };
  const hold = new Hold(lock, workspace, () => {
    warn(
      "the lock file was removed while this command works; nobody else took it: it is created again",
    );
    try {
      if (current !== undefined) noteRun(workspace, current);
    } catch (error) {
      warn(`which run is worked on could not be noted: ${messageOf(error)}`);
    }
    restoreFiles();
  });
  const look = (): void => {
    if (!hold.isHeld() || current === undefined) return;
    if (!existsSync(join(workspace.runsDir, current))) restoreFiles();
  };
  const note = (fact: Fact): void => {
    if (journal === undefined) {
      waiting.push(fact);
      return;
    }
    try {
      if (hold.isHeld()) journal.note(fact);
    } catch (error) {
      warn(`${fact.type} could not be kept on record: ${messageOf(error)}`);
    }
  };
  const session: Session = {
    workspace,
    hold,
    signal,
    note,
    runId: () => current,
    tell(event) {
      onEvent(event);
      const fact = ownFact(event);
      if (fact !== undefined) note(fact);
    },
    async endAgents() {
      if (current !== undefined && hold.isHeld()) await endRunProcesses(current, { graceMs: 0 });
    },
    onRemoved: (restore) => void restorers.add(restore),
    begin(runId) {
      current = runId;
      noteRun(workspace, runId);
      journal = openRunJournal(join(workspace.runsDir, runId), warn);
      for (const fact of waiting.splice(0)) note(fact);
    },
    record(event) {
      hold.require();
      journal?.add(event);
    },
    syncRecord() {
      hold.require();
      journal?.sync();
    },
  };
  const endWatch = watchFolder(workspace.runsDir, look);
  try {
    onDriving?.(session);
    return await body(session);
  } finally {
    endWatch();
    // What went wrong before is what is told: these only tidy up.
    for (const tidy of [
      () => journal?.close(),
      () => hold.isHeld() && forgetRun(workspace),
      () => hold.release(),
    ]) {
      try {
        tidy();
      } catch (error) {
        warn(messageOf(error));
      }
    }
  }
}

const NEVER = new AbortController().signal;
