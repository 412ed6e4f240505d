import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { createOnce } from "@quasar/durable";
import { NebulaError } from "../../errors.ts";
import { continueNebula, pauseEnds, pauseNebula } from "../../people/pause.ts";
import { stopEngine, takeStop } from "../../people/stop.ts";
import { eventsIn } from "../../state/events.ts";
import { type NebulaHome, nebulaHome } from "../../state/home.ts";
import { listNebulae } from "../../state/list.ts";
import { lockEngine } from "../../state/lock.ts";
import {
  entryOf,
  awaited,
  type Board,
  choicesOf,
  currentRecord,
  NO_ORDERS,
  record,
  resolve,
  signalled,
  statusOf,
} from "../board.ts";
import { requireAsk, requireEntry, requireNebulaId } from "../check-calls.ts";
import { PortError } from "../errors.ts";
import { lease, type LeaseTable, NO_LEASES, release, renew } from "../leases.ts";
import {
  type Entry,
  type Held,
  type InboxItem,
  LANE,
  type NebulaPort,
  type Orders,
  type Recorded,
} from "../port.ts";
import { readReply } from "../promises.ts";
import { stateFacts } from "../state-facts.ts";
import { waitFor } from "../wait.ts";
import { itemsOnDisk, leaveReply, removeTaken } from "./disk-inbox.ts";
import { readDisk, type StateOnDisk, writeDisk } from "./disk-state.ts";
import { keepSubmission, readSubmission } from "./submission.ts";
import { digestOf } from "../submission.ts";

export interface FilePortOptions {
  /** The git folder that all work trees share: its nebulae are served. */
  readonly commonDir: string;
  /** @default the system's clock */
  readonly now?: (() => Date) | undefined;
}

/** The port of one machine. */
export interface FilePort extends NebulaPort {
  /** Ends all leases, as the end of the process does. */
  close(): void;
}

/** How often a look is taken at files that others write, in milliseconds. */
const LOOK_MS = 250;

/** What this process knows of a nebula whose engine it is. */
interface Memory {
  /** While it has the lane. */
  lock: { release(): void } | undefined;
  leases: LeaseTable;
  stop: Orders["stop"];
  /** What no file has: offers, results, notes of runs. */
  board: Pick<Board, "closed" | "offers" | "results" | "noted" | "nextKey">;
  notes: readonly InboxItem[];
}

/**
 * The port over the files of a nebula's home, without a server. The lane is the engine's lock: it is held until its process
 * ends. The phases are leased within the process that has the lane, and end with it.
 *
 * Where two processes look at a nebula, the one without the lane sees state, answers and pauses, and no offers. A `stop` is
 * for the engine that has the lane. A change of a plan's gate needs that none has it.
 *
 * What a state has taken is removed after the state is written: a crash between the two has it taken again, which changes
 * nothing more, since a decision names the attempt and the change that it is about.
 */
export function createFilePort({ commonDir, now = () => new Date() }: FilePortOptions): FilePort {
  const memories = new Map<string, Memory>();

  const memoryOf = (id: string): Memory => {
    const known = memories.get(id);
    if (known !== undefined) return known;
    const board = { closed: "", offers: [], results: [], noted: [], nextKey: 1 } as const;
    const fresh: Memory = { lock: undefined, leases: NO_LEASES, stop: "", board, notes: [] };
    memories.set(id, fresh);
    return fresh;
  };

  /** A nebula as its files and this process have it now. */
  const open = (id: string): Opened => {
    requireNebulaId(id);
    const home = nebulaHome(commonDir, id);
    const disk = readDisk(home, id);
    const memory = memoryOf(id);
    return { home, disk, memory, board: boardOf(home, disk, memory) };
  };

  const takeLane = (home: NebulaHome, memory: Memory): boolean => {
    if (memory.lock !== undefined) return true;
    try {
      memory.lock = lockEngine(home);
      return true;
    } catch (error) {
      if (error instanceof NebulaError && error.code === "ERR_LOCKED") return false;
      throw error;
    }
  };

  const recordIn = (held: Held, entry: Entry): Recorded => {
    requireEntry(entry);
    const { home, memory, board } = open(held.nebula);
    const read =
      entry.as === "state" ? { ...entry, facts: stateFacts(held.nebula, entry.state) } : entry;
    const writer = currentRecord(board, memory.leases, held);
    const [next, answer] = record(board, writer, read);
    if (answer.as !== "recorded") return answer;
    if (read.as === "state") {
      writeDisk(home, read.state, read.facts);
      removeTaken(home, read.taken);
    }
    keep(memory, next);
    return answer;
  };

  return {
    async submit(submission) {
      const { id, name, depot, state } = submission;
      requireNebulaId(id);
      stateFacts(id, state);
      const home = nebulaHome(commonDir, id);
      const { digest } = keepSubmission(home, submission);
      if (digest !== digestOf({ id, name, depot, state })) {
        throw new PortError("ERR_CONFLICT", `another nebula was submitted as ${id}`);
      }
      return createOnce(home.state, Buffer.from(state)) ? "begun" : "known";
    },
    async lease(ask) {
      requireAsk(ask);
      const { home, memory, board } = open(ask.nebula);
      const choices = choicesOf(board, ask);
      const isLane = ask.work === LANE;
      if (isLane && (choices.length === 0 || !takeLane(home, memory))) return undefined;
      const writer = randomBytes(4).toString("hex");
      // The lane is held for as long as its lock.
      const kept = isLane ? { ...ask, ttlMs: Infinity } : ask;
      const wanted = { ask: kept, choices, offers: board.offers, writer };
      const [leases, given] = lease(memory.leases, wanted, now().getTime());
      memory.leases = leases;
      return given === undefined ? undefined : { ...given, ttlMs: ask.ttlMs };
    },
    async renew(held) {
      const { memory, board } = open(held.nebula);
      if (currentRecord(board, memory.leases, held) === undefined) return { as: "stale" };
      [memory.leases] = renew(memory.leases, held, now().getTime());
      return { as: "held", orders: board.orders };
    },
    async release(held, how = {}) {
      const { memory, board } = open(held.nebula);
      const isHeld = currentRecord(board, memory.leases, held) !== undefined;
      memory.leases = release(memory.leases, held, how, now().getTime());
      if (isHeld && held.work === LANE) giveLaneBack(memory);
    },
    async fence(held) {
      const { memory, board } = open(held.nebula);
      return currentRecord(board, memory.leases, held) === undefined ? "stale" : "ok";
    },
    record: async (held, entry) => recordIn(held, entry),
    wait(nebula, id, signal) {
      return waitFor(
        async () => awaited(open(nebula).board, id),
        () => sleep(LOOK_MS, undefined, { signal }).catch(() => {}),
        signal,
      );
    },
    async resolve(nebula, id, reply) {
      const said = readReply(id, reply);
      const { home, disk, board } = open(nebula);
      const [next, answer] = resolve(board, id, { ...said.reply });
      // What is waiting already need not be left again.
      if (answer.as !== "resolved" || next === board) return answer;
      return leaveReply({ commonDir, home, state: disk.saved.state, now: now() }, id, said);
    },
    async signal(nebula, what) {
      const { disk, memory } = open(nebula);
      const { state } = disk.saved;
      switch (what) {
        case "pause":
          pauseNebula(commonDir, state, now());
          break;
        case "continue":
          continueNebula(commonDir, state);
          memory.stop = "";
          break;
        case "stop":
        case "cancel":
          stopEngine(commonDir, state, { isNow: what === "cancel" });
      }
    },
    async *watch(nebula, from, signal) {
      for (let seen = from; !signal.aborted; ) {
        const { home } = open(nebula);
        const events = eventsIn(home);
        if (events.length > seen) {
          const change = { to: events.length, events: events.slice(seen), isGap: false };
          seen = change.to;
          yield change;
        }
        await sleep(LOOK_MS, undefined, { signal }).catch(() => {});
      }
      return undefined;
    },
    async list() {
      return listNebulae(commonDir).map(({ id }) => entryOf(id, open(id).board));
    },
    async status(nebula) {
      const { board, memory } = open(nebula);
      return statusOf(board, memory.leases);
    },
    close() {
      for (const memory of memories.values()) memory.lock?.release();
      memories.clear();
    },
  };
}

interface Opened {
  readonly home: NebulaHome;
  readonly disk: StateOnDisk;
  readonly memory: Memory;
  readonly board: Board;
}

function boardOf(home: NebulaHome, { saved, text, facts }: StateOnDisk, memory: Memory): Board {
  const { state } = saved;
  if (memory.lock !== undefined) memory.stop = stopOf(home, memory.stop);
  const isPaused = pauseEnds(home, state).length > 0;
  const submission = readSubmission(home);
  return {
    ...memory.board,
    ...{ name: state.name, depot: submission?.depot ?? "", digest: submission?.digest ?? "" },
    ...{ state: text, facts, orders: { isPaused, stop: memory.stop } },
    inbox: [...itemsOnDisk(home, state), ...memory.notes],
    events: facts.recent,
  };
}

/** The stop that was left for this engine, and one that it has taken before. */
function stopOf(home: NebulaHome, before: Orders["stop"]): Orders["stop"] {
  const note = takeStop(home);
  if (note === undefined) return before;
  return signalled({ ...NO_ORDERS, stop: before }, note.isNow ? "cancel" : "stop").stop;
}

function keep(memory: Memory, board: Board): void {
  const { closed, offers, results, noted, nextKey } = board;
  memory.board = { closed, offers, results, noted, nextKey };
  memory.notes = board.inbox.filter(({ id }) => id.startsWith("note/"));
}

/** Its offers stay: those who work on them are in this process. */
function giveLaneBack(memory: Memory): void {
  memory.stop = "";
  memory.lock?.release();
  memory.lock = undefined;
}
