import { type Frame, frameOf } from "../../src/cockpit/model/frame.ts";
import { type Abilities, painted } from "../../src/cockpit/model/paint.ts";
import { press } from "../../src/cockpit/model/press.ts";
import type { Shown } from "../../src/cockpit/model/shown.ts";
import { FRESH, type Size, type Ui } from "../../src/cockpit/model/ui.ts";
import { NOW } from "./facts.ts";

export const NARROW: Size = { columns: 80, rows: 24 };
export const WIDE: Size = { columns: 120, rows: 40 };

/** A terminal without colours. */
export const PLAIN: Abilities = { hasColour: false, isAscii: false };

/** What a person sees, and can press keys on. */
export class Screen {
  readonly #shown: Shown;
  readonly #size: Size;
  readonly #ownsWork: boolean;
  ui: Ui;
  /** What the last key had to be followed by. */
  effect: ReturnType<typeof press>["effect"];

  /** @param ownsWork - Whether it is that of work, and not of looking. */
  constructor(shown: Shown, size: Size, ui: Partial<Ui> = {}, ownsWork: boolean = false) {
    this.#ownsWork = ownsWork;
    this.#shown = shown;
    this.#size = size;
    this.ui = { ...FRESH, ...ui };
  }

  frame(): Frame {
    const how = { canDecide: true, ownsWork: this.#ownsWork };
    return frameOf(this.#shown, { size: this.#size, ui: this.ui, now: NOW, ...how });
  }

  press(...keys: readonly string[]): this {
    for (const key of keys) {
      const around = { ...this.frame(), shown: this.#shown };
      ({ ui: this.ui, effect: this.effect } = press(this.ui, key, around));
    }
    return this;
  }

  type(text: string): this {
    return this.press(...Array.from(text));
  }

  text(abilities: Abilities = PLAIN): string {
    return `${this.frame()
      .lines.map((line) => painted(line, abilities))
      .join("\n")}\n`;
  }
}
