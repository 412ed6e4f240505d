import { type LiveFacts, type Snapshot, snapshotOf } from "@quasar/page/live";
import { watchFolders } from "../../cockpit/live/watch-folders.ts";
import type { Subject } from "./subject.ts";

/** What is known of a page's subject; `problem`: why it cannot be read. */
export type Known =
  | { readonly kind: "nothing" }
  | { readonly kind: "snapshot"; readonly snapshot: Snapshot }
  | { readonly kind: "problem"; readonly words: string };

/** Reads a subject again and again while somebody listens. */
export interface Feed {
  /** Calls at once with what is known, if anything is, and whenever that is another. @returns What ends it. */
  listen(listener: (known: Known) => void): () => void;
  /** Reads at once: something has changed. */
  refresh(): void;
  close(): void;
}

/** Milliseconds: how soon it reads when something has changed, and how often it looks anyway. */
const [QUICK_MS, TICK_MS] = [250, 2000];

/** Of its time it spends at most one part of so many on reading. */
const PARTS = 5;

/** @param wordsOf - Says why something cannot be read. */
export function createFeed(subject: Subject, wordsOf: (error: unknown) => string): Feed {
  const listeners = new Set<(known: Known) => void>();
  const folders = watchFolders(() => plan(QUICK_MS));
  let known: Known = { kind: "nothing" };
  let timer: NodeJS.Timeout | undefined;
  let tick: NodeJS.Timeout | undefined;
  let isReading = false;
  let restMs = 0;
  let last: { readonly facts: LiveFacts; readonly snapshot: Snapshot } | undefined;

  function plan(ms: number): void {
    timer ??= setTimeout(
      () => {
        timer = undefined;
        void look();
      },
      Math.max(ms, restMs),
    );
  }

  async function look(): Promise<void> {
    if (isReading || listeners.size === 0) return;
    isReading = true;
    const begun = performance.now();
    const next = await readOnce();
    restMs = (performance.now() - begun) * PARTS;
    isReading = false;
    folders.set(listeners.size === 0 ? [] : subject.folders());
    if (isSame(known, next)) return;
    known = next;
    for (const listener of listeners) listener(known);
  }

  async function readOnce(): Promise<Known> {
    try {
      const facts = await subject.read();
      if (facts === undefined) return { kind: "nothing" };
      if (facts !== last?.facts) last = { facts, snapshot: snapshotOf(facts) };
      return { kind: "snapshot", snapshot: last.snapshot };
    } catch (error) {
      return { kind: "problem", words: wordsOf(error) };
    }
  }

  return {
    listen(listener) {
      listeners.add(listener);
      tick ??= setInterval(() => plan(0), TICK_MS);
      if (known.kind !== "nothing") listener(known);
      plan(0);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(tick);
        tick = undefined;
        folders.set([]);
      };
    },
    refresh: () => void look(),
    close() {
      listeners.clear();
      clearInterval(tick);
      clearTimeout(timer);
      folders.close();
    },
  };
}

function isSame(one: Known, other: Known): boolean {
  if (one.kind === "snapshot" && other.kind === "snapshot") {
    return one.snapshot.revision === other.snapshot.revision;
  }
  if (one.kind === "problem" && other.kind === "problem") return one.words === other.words;
  return one.kind === other.kind;
}
