import { span } from "@quasar/runs/text";
import { useState } from "preact/hooks";
import type { Bar, Lane, Mark, Timeline } from "../view/timeline.ts";
import { clockOf, dayOf } from "./moment.tsx";

const HEIGHT = 28;

const percent = (part: number): string => `${(part * 100).toFixed(3)}%`;

/** Lanes with the turns as bars. Arrow keys move from turn to turn; the line below says what each was. */
export function TimelineChart({ timeline }: { readonly timeline: Timeline }) {
  const [current, setCurrent] = useState<Bar>();
  const all = timeline.lanes.flatMap(({ bars }) => bars);
  const entry = current ?? all[0];
  const move = (event: KeyboardEvent): void => {
    const steps: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };
    const step = steps[event.key];
    if (step === undefined || entry === undefined) return;
    const next = all[all.indexOf(entry) + step];
    if (next === undefined) return;
    event.preventDefault();
    document.getElementById(barId(next))?.focus();
  };
  return (
    <figure class="timeline" onKeyDown={move}>
      <Patterns />
      <div class="lanes">
        {timeline.lanes.map((lane) => (
          <LaneRow key={lane.name} {...{ lane, timeline, entry, setCurrent }} />
        ))}
        <Axis timeline={timeline} />
      </div>
      <p class="current" role="status">
        {current === undefined ? "Point at a turn, or move with the arrow keys." : current.words}
      </p>
      <Legend timeline={timeline} />
    </figure>
  );
}

function barId({ turnId }: Bar): string {
  return `bar-${turnId}`;
}

interface LaneProps {
  readonly lane: Lane;
  readonly timeline: Timeline;
  readonly entry: Bar | undefined;
  readonly setCurrent: (bar: Bar) => void;
}

function LaneRow({ lane, timeline, entry, setCurrent }: LaneProps) {
  return (
    <div class="lane">
      <span class="lane-name" title={lane.name}>
        {lane.name}
      </span>
      <svg class="lane-line" height={HEIGHT} width="100%" role="group" aria-label={lane.name}>
        <Background timeline={timeline} />
        {lane.bars.map((bar) => (
          <a
            key={bar.turnId}
            id={barId(bar)}
            href={`#turn-${bar.turnId}`}
            aria-label={bar.words}
            tabIndex={bar === entry ? 0 : -1}
            onFocus={() => setCurrent(bar)}
            onMouseEnter={() => setCurrent(bar)}
          >
            <title>{bar.words}</title>
            <rect class={`bar ${bar.role} ${bar.status}`} {...boxOf(bar)} />
            {bar.status !== "settled" && <rect class={`hatch ${bar.status}`} {...boxOf(bar)} />}
          </a>
        ))}
        {lane.marks.map((mark) => (
          <MarkSign key={`${mark.kind} ${mark.words} ${mark.at}`} mark={mark} />
        ))}
      </svg>
    </div>
  );
}

function boxOf({ from, to }: Bar) {
  // Short ones are drawn wide enough to be seen and hit.
  const width = Math.max(to - from, 0.006);
  return { x: percent(Math.min(from, 1 - width)), width: percent(width), y: 5, height: 18, rx: 3 };
}

function MarkSign({ mark }: { readonly mark: Mark }) {
  return (
    <svg class={`mark ${mark.kind}`} x={percent(mark.at)} y={HEIGHT / 2} overflow="visible">
      <title>{mark.words}</title>
      {mark.kind === "landing" ? (
        <path d="M0 -8 L8 0 L0 8 L-8 0 Z" />
      ) : (
        <path d="M-9 0 H1 M-3 -4.5 L1.5 0 L-3 4.5" />
      )}
    </svg>
  );
}

function Background({ timeline: { ticks, breaks, kills } }: { readonly timeline: Timeline }) {
  const whole = { y1: 0, y2: HEIGHT } as const;
  return (
    <>
      {ticks.map(({ at, ms }) => (
        <line key={ms} class="tick" x1={percent(at)} x2={percent(at)} {...whole} />
      ))}
      {breaks.map(({ from, to, ms }) => (
        <rect key={from} class="break" x={percent(from)} width={percent(to - from)} height={HEIGHT}>
          <title>{`a pause of ${span(ms)}`}</title>
        </rect>
      ))}
      {kills.map(({ at, ms }) => (
        <line key={ms} class="kill" x1={percent(at)} x2={percent(at)} {...whole} />
      ))}
    </>
  );
}

function Axis({ timeline: { ticks } }: { readonly timeline: Timeline }) {
  // Two within a minute are to read differently.
  const isFine = ticks.some(({ ms }, n) => ms - (ticks[n - 1]?.ms ?? 0) < 60_000);
  const length = isFine ? "12:34:56".length : "12:34".length;
  return (
    <div class="lane axis" aria-hidden="true">
      <span class="lane-name" />
      <svg class="lane-line" height={20} width="100%">
        {ticks.map(({ at, ms }) => (
          <text key={ms} x={percent(at)} y={14}>
            <title>{dayOf(ms)}</title>
            {clockOf(ms).slice(0, length)}
          </text>
        ))}
      </svg>
    </div>
  );
}

function Legend({ timeline: { lanes, kills, breaks } }: { readonly timeline: Timeline }) {
  const bars = lanes.flatMap((lane) => lane.bars);
  const marks = lanes.flatMap((lane) => lane.marks);
  const signs: readonly (readonly [string, string, boolean])[] = [
    ["coder", "coder's turn", bars.some(({ role }) => role === "coder")],
    ["reviewer", "reviewer's turn", bars.some(({ role }) => role === "reviewer")],
    ["hatched", "failed or cut off", bars.some(({ status }) => status !== "settled")],
    ["arrow", "reattached", marks.some(({ kind }) => kind === "reattached")],
    ["diamond", "commit or landing", marks.some(({ kind }) => kind === "landing")],
    ["dashed", "the command was killed", kills.length > 0],
    ["gray", "a pause, shortened", breaks.length > 0],
  ];
  return (
    <figcaption>
      <ul class="legend">
        {signs.flatMap(([sign, words, isThere]) =>
          isThere
            ? [
                <li key={sign}>
                  <span class={`sign ${sign}`} aria-hidden="true" />
                  {words}
                </li>,
              ]
            : [],
        )}
      </ul>
    </figcaption>
  );
}

function Patterns() {
  return (
    <svg class="patterns" width="0" height="0" aria-hidden="true">
      <defs>
        <pattern
          id="hatching"
          width="6"
          height="6"
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width="3" height="6" />
        </pattern>
      </defs>
    </svg>
  );
}
