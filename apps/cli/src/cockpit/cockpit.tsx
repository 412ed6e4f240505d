import type { RunFacts } from "@quasar/runs/facts";
import { type Instance, render } from "ink";
import { ignoreLostReader } from "../shared/streams.ts";
import { createChanges } from "./live/change.ts";
import type { Decider, Note } from "./live/decide.ts";
import { type Facts, type Source, spanOf } from "./live/source.ts";
import { watchTurns } from "./live/turns.ts";
import { watchFolders } from "./live/watch-folders.ts";
import { type Frame, frameOf } from "./model/frame.ts";
import { line } from "./model/line.ts";
import { type Abilities, painted } from "./model/paint.ts";
import { burst, type Effect, paste, press } from "./model/press.ts";
import type { Shown } from "./model/shown.ts";
import { FRESH, type Size, type Ui } from "./model/ui.ts";
import { markTerminal } from "./terminal/marker.ts";
import { keepMemorySmall, tidyMemory } from "./terminal/memory.ts";
import { EMPTY, LINE_MODES, NO_WRAP, WRAP } from "./terminal/modes.ts";
import { Screen, type ScreenProps } from "./terminal/screen.tsx";
import { listenToSignals, stopJob } from "./terminal/signals.ts";

/**
 * How soon it reads when something has changed, and how often it looks anyway and its clock moves, in milliseconds.
 * Ink makes each frame whole, of which one in two seconds is what an idle screen may cost.
 */
const [QUICK_MS, TICK_MS] = [250, 2000];

/** As long as it is not known what became of a decision. */
const SENT: Note = { text: "The server is asked…", isBad: false };

export interface CockpitOptions {
  readonly source: Source;
  /** A work tree of the repository; `undefined`: no change can be read here. */
  readonly root: string | undefined;
  /** `undefined`: what looks may not decide. */
  readonly decider: Decider | undefined;
  readonly abilities: Abilities;
  /**
   * Of work that this process does: aborted once that has ended. Then it closes, when a person who is about to decide has
   * done so. @default the process has nothing else to do
   */
  readonly ended?: AbortSignal | undefined;
}

/** How a cockpit was left. */
export interface Left {
  /** The signal that ended it; `undefined`: a person left. */
  readonly signal: "SIGINT" | "SIGTERM" | "SIGHUP" | undefined;
}

/** Opens the cockpit on this process's terminal until it is left. */
export async function openCockpit(options: CockpitOptions): Promise<Left> {
  const facts = await options.source.read();
  const cockpit = new Cockpit(options, facts);
  return cockpit.run();
}

class Cockpit {
  readonly #options: CockpitOptions;
  readonly #turns = watchTurns(() => this.#soon());
  readonly #changes;
  readonly #folders = watchFolders(() => this.#soon());
  readonly #stdout = process.stdout;
  #facts: Facts | undefined;
  #ui: Ui = FRESH;
  #frame: Frame | undefined;
  #drawn = "";
  #ink: Instance | undefined;
  #suspend: Parameters<ScreenProps["onReady"]>[0] | undefined;
  #isSuspended = false;
  #isReading = false;
  #timer: NodeJS.Timeout | undefined;
  #leave: (left: Left) => void = () => {};
  #fail: (error: unknown) => void = () => {};

  constructor(options: CockpitOptions, facts: Facts | undefined) {
    this.#options = options;
    this.#facts = facts;
    const { root } = options;
    this.#changes = root === undefined ? undefined : createChanges(root, () => this.#draw());
  }

  async run(): Promise<Left> {
    const left = new Promise<Left>((resolve, reject) => {
      this.#leave = resolve;
      this.#fail = reject;
    });
    const unmark = markTerminal();
    const signals = listenToSignals({
      onEnd: (signal) => this.#leave({ signal }),
      onStop: () => void this.#stop(),
      onContinue: () => void this.#redraw(),
    });
    process.on("uncaughtException", this.#uncaught);
    process.on("exit", this.#giveBack);
    this.#options.ended?.addEventListener("abort", this.#leaveIfEnded);
    this.#stdout.on("error", ignoreLostReader);
    this.#stdout.prependListener("resize", this.#resized);
    const tick = setInterval(() => {
      this.#tidyMemory(false);
      void this.#look();
    }, TICK_MS);
    if (this.#options.ended === undefined) keepMemorySmall();
    try {
      this.#begin();
      this.#options.source.listen?.(() => this.#soon());
      this.#leaveIfEnded();
      return await left;
    } finally {
      clearInterval(tick);
      clearTimeout(this.#timer);
      this.#turns.close();
      this.#folders.close();
      this.#stdout.off("resize", this.#resized);
      await this.#end();
      this.#options.ended?.removeEventListener("abort", this.#leaveIfEnded);
      process.off("exit", this.#giveBack);
      process.off("uncaughtException", this.#uncaught);
      signals.close();
      unmark();
    }
  }

  #begin(): void {
    this.#taken();
    const frame = this.#nextFrame();
    this.#ink = render(this.#screen(frame), {
      // Of itself it is quiet where the environment has a variable CI.
      interactive: true,
      ...{ alternateScreen: true, incrementalRendering: true, exitOnCtrlC: false },
      patchConsole: false,
    });
    this.#stdout.write(NO_WRAP);
    this.#ink.waitUntilExit().catch(this.#fail);
  }

  async #end(): Promise<void> {
    const ink = this.#ink;
    this.#giveBack();
    await ink?.waitUntilExit().catch(() => undefined);
  }

  readonly #giveBack = (): void => {
    const ink = this.#ink;
    // A look that is under way draws nothing any more: Ink would take the terminal again.
    this.#ink = undefined;
    if (ink === undefined) return;
    // A terminal that has grown meanwhile may keep rows of the screen that it had.
    ink.clear();
    this.#stdout.write(EMPTY);
    ink.unmount();
    // After an error Ink gives back a part only, and would keep the process from its end.
    this.#stdout.write(LINE_MODES);
    if (process.stdin.isRaw) process.stdin.setRawMode(false);
    process.stdin.unref();
  };

  readonly #leaveIfEnded = (): void => {
    const kind = this.#ui.overlay?.kind;
    const isDeciding = kind === "input" || kind === "confirm";
    if (this.#options.ended?.aborted === true && !isDeciding) this.#leave({ signal: undefined });
  };

  /** What others throw ends the process as it would without a screen. */
  readonly #uncaught = (error: unknown): void => {
    if (this.#options.ended === undefined || isOfScreen(error)) return this.#fail(error);
    this.#giveBack();
    process.off("uncaughtException", this.#uncaught);
    setImmediate(() => {
      throw error;
    });
  };

  /** Reads and draws within the time between two quick looks. */
  #soon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#tidyMemory(true);
      void this.#look();
    }, QUICK_MS);
  }

  /** Other work of this process may need its memory. */
  #tidyMemory(isMuchNew: boolean): void {
    if (this.#options.ended === undefined) tidyMemory(isMuchNew);
  }

  async #look(): Promise<void> {
    if (this.#isReading || this.#isSuspended) return;
    this.#isReading = true;
    try {
      this.#facts = await this.#options.source.read();
      this.#taken();
      this.#draw();
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  /** Follows what the facts name. */
  #taken(): void {
    const facts = this.#facts;
    const { source } = this.#options;
    this.#folders.set(source.folders());
    if (facts === undefined) return;
    if (facts.kind === "run") return this.#watchTurns(facts.run, "");
    for (const { id, runs, isWorkedOn } of facts.nebula.phases) {
      if (isWorkedOn || id === this.#ui.selected) this.#watchTurns(runs.at(-1), id);
    }
  }

  #watchTurns(run: RunFacts | undefined, phase: string): void {
    const workspace = this.#options.source.workspaceOf(phase);
    if (run !== undefined && workspace !== undefined) this.#turns.watch(run, workspace);
  }

  #shown(): Shown | undefined {
    if (this.#facts === undefined) return undefined;
    const change = this.#changes?.of(spanOf(this.#facts, this.#ui.selected));
    return { ...this.#facts, said: this.#turns.said, change };
  }

  #size(): Size {
    return { columns: this.#stdout.columns || 80, rows: this.#stdout.rows || 24 };
  }

  #nextFrame(): readonly string[] {
    const size = this.#size();
    const shown = this.#shown();
    if (shown === undefined)
      return [painted(line("waiting for its first save"), this.#options.abilities)];
    const canDecide = this.#options.decider !== undefined;
    const ownsWork = this.#options.ended !== undefined;
    const frame = frameOf(shown, { size, ui: this.#ui, now: Date.now(), canDecide, ownsWork });
    const [first] = frame.ids;
    if (first !== undefined && !frame.ids.includes(this.#ui.selected)) {
      this.#ui = { ...this.#ui, selected: first };
      return this.#nextFrame();
    }
    this.#frame = frame;
    return frame.lines.map((each) => painted(each, this.#options.abilities));
  }

  #draw(): void {
    if (this.#isSuspended || this.#ink === undefined) return;
    const lines = this.#nextFrame();
    const drawn = lines.join("\n");
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#ink.rerender(this.#screen(lines));
  }

  #screen(lines: readonly string[]) {
    const { onKey, onPaste, onBurst, onReady } = this.#handlers;
    const handlers = { onKey, onPaste, onBurst, onReady };
    return <Screen lines={lines} {...handlers} />;
  }

  readonly #handlers: Omit<ScreenProps, "lines"> = {
    onKey: (key) => {
      try {
        this.#pressed(key);
      } catch (error) {
        this.#fail(error);
      }
    },
    onPaste: (text) => {
      this.#ui = paste(this.#ui, text);
      this.#draw();
    },
    onBurst: (text) => {
      const { ui, keys } = burst(this.#ui, text);
      this.#ui = ui;
      for (const key of keys) this.#pressed(key);
      this.#draw();
    },
    onReady: (suspend) => {
      this.#suspend = suspend;
    },
  };

  #pressed(key: string): void {
    if (key === "ctrl-c") return void process.kill(process.pid, "SIGINT");
    if (key === "ctrl-z") return void this.#stop();
    if (key === "ctrl-l") return void this.#redraw();
    const shown = this.#shown();
    if (shown === undefined || this.#frame === undefined) {
      if (key === "q") this.#leave({ signal: undefined });
      return;
    }
    const { selected, overlay } = this.#ui;
    const { ui, effect } = press(this.#ui, key, { ...this.#frame, shown });
    this.#ui = ui;
    if (overlay === undefined && ui.overlay !== undefined) this.#options.decider?.begin();
    if (ui.selected !== selected) this.#taken();
    if (effect !== undefined) this.#carryOut(effect);
    this.#leaveIfEnded();
    this.#draw();
  }

  #carryOut(effect: Effect): void {
    if (effect.type === "quit") return this.#leave({ signal: undefined });
    const note = this.#options.decider?.decide(effect.ask, effect.text);
    if (note instanceof Promise) void this.#noteLater(note);
    else this.#note(note);
  }

  async #noteLater(note: Promise<Note>): Promise<void> {
    this.#ui = { ...this.#ui, note: SENT };
    try {
      this.#note(await note);
      this.#draw();
    } catch (error) {
      this.#fail(error);
    }
  }

  #note(note: Note | undefined): void {
    this.#ui = { ...this.#ui, note };
    this.#soon();
  }

  /** A smaller terminal has broken or lost lines: all is drawn anew, from the first cell on. */
  readonly #resized = (): void => {
    if (this.#isSuspended) return;
    this.#ink?.clear();
    this.#stdout.write(EMPTY);
    setImmediate(() => this.#draw());
  };

  /** Lends the terminal to the shell until this is continued. */
  async #stop(): Promise<void> {
    if (this.#isSuspended || this.#suspend === undefined) return;
    this.#isSuspended = true;
    const lent = await this.#suspend();
    this.#stdout.write(WRAP);
    await stopJob();
    await this.#takenBack(lent);
  }

  /** Draws all of it on a terminal in which somebody else has written. */
  async #redraw(): Promise<void> {
    if (this.#isSuspended || this.#suspend === undefined) return;
    this.#isSuspended = true;
    await this.#takenBack(await this.#suspend());
  }

  async #takenBack(lent: { readonly resume: () => Promise<void> }): Promise<void> {
    this.#stdout.write(NO_WRAP);
    await lent.resume();
    this.#isSuspended = false;
    this.#drawn = "";
    await this.#look();
  }
}

/** Whether something of the cockpit or of Ink was at work when an error was thrown: they are one file. */
function isOfScreen(error: unknown): boolean {
  return error instanceof Error && error.stack?.includes(import.meta.url) === true;
}
