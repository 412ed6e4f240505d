import { groupedCount, groupedRows, plainRows } from "./list.ts";
import { type Body, mostScroll, windowOf } from "../panels/body.ts";
import { aboutLines, detailLines } from "../panels/detail.ts";
import { graphBody } from "../panels/graph.ts";
import { type Panel, panelOf } from "../panels/panel.ts";
import { saidBody } from "../panels/said.ts";
import { footerLine } from "./footer.ts";
import { headerLine, statusLine } from "./header.ts";
import { type Item, itemsOf } from "./items.ts";
import { type Binding, bindingsOf } from "./keys.ts";
import { inColumns, type Line, line, lineWidth, span } from "./line.ts";
import { isLow, overlayPanel } from "./overlay.ts";
import { runOf, type Shown } from "./shown.ts";
import { isTiny, isWide, type PanelName, type Size, type Ui } from "./ui.ts";

/** A screen, and what the next key is judged by. */
export interface Frame {
  /** As many as the terminal has rows, each as wide as it. */
  readonly lines: readonly Line[];
  readonly bindings: readonly Binding[];
  /** Ids of the rows of the list. */
  readonly ids: readonly string[];
  readonly mostScroll: number;
  /** Whether scrolling begins at the end. */
  readonly scrollsUp: boolean;
}

/** What a frame is made of, beside facts. */
export interface FrameOptions {
  readonly size: Size;
  readonly ui: Ui;
  /** Milliseconds. */
  readonly now: number;
  /** Whether it is a person who looks, and may decide. */
  readonly canDecide: boolean;
  /** Whether the process that shows it also works: closing the terminal stops that. */
  readonly ownsWork: boolean;
}

/** The screen, by nothing but its arguments. */
export function frameOf(shown: Shown, { size, ui, now, canDecide, ownsWork }: FrameOptions): Frame {
  const items = shown.kind === "nebula" ? itemsOf(shown.nebula, shown, now) : [];
  const bindings = bindingsOf(shown, ui, size, canDecide);
  const under = bindingsOf(shown, { ...ui, overlay: undefined }, size, canDecide);
  const area: Area = { shown, size, ui, items, bindings, under, now, ownsWork };
  const { lines, scrolled, rows } = drawn(area);
  return {
    lines: exactly(lines, size),
    bindings,
    ids: items.map(({ id }) => id),
    mostScroll: mostScroll(scrolled, rows),
    scrollsUp: scrolled.startsAtEnd === true,
  };
}

interface Area extends Pick<FrameOptions, "size" | "ui" | "now" | "ownsWork"> {
  readonly shown: Shown;
  readonly items: readonly Item[];
  readonly bindings: readonly Binding[];
  readonly under: readonly Binding[];
}

/** Lines, and what of them the keys for scrolling move. */
interface Drawn {
  readonly lines: readonly Line[];
  readonly scrolled: Body;
  readonly rows: number;
}

const NOTHING: Body = { count: 0, lineAt: () => [] };

function drawn(area: Area): Drawn {
  const { shown, size, ui, now } = area;
  if (isTiny(size)) {
    return { lines: [statusLine(shown, now, size.columns)], scrolled: NOTHING, rows: 0 };
  }
  if (ui.overlay !== undefined && !isLow(ui)) return whole(area, overlayOf(area));
  if (ui.isZoomed) return whole(area, overlayOf(area) ?? focusedPanel(area));
  return isWide(size) ? wide(area) : narrow(area);
}

function overlayOf({ shown, size, ui, items, under, ownsWork }: Area): Panel | undefined {
  const columns = size.columns - 2;
  return ui.overlay && overlayPanel(ui.overlay, shown, { items, under, columns, ownsWork });
}

function focusedPanel({ shown, size, ui }: Area): Panel {
  return panelOf(panelName(ui), shown, ui.selected, size.columns - 2);
}

function panelName({ focus }: Ui): PanelName {
  return focus === "list" ? "turns" : focus;
}

/** One panel between the first line and the keys. */
function whole(area: Area, panel: Panel = focusedPanel(area)): Drawn {
  const { size, ui } = area;
  const rows = size.rows - 4;
  return {
    lines: [
      header(area),
      rule(panel.title, size.columns),
      ...indented(windowOf(panel.body, rows, ui.scroll)),
      rule("", size.columns),
      footer(area),
    ],
    scrolled: panel.body,
    rows,
  };
}

/** The list above the detail of what is selected. */
function narrow(area: Area): Drawn {
  const { shown, size, ui, items } = area;
  const { columns } = size;
  const free = size.rows - 4;
  const most = Math.max(3, Math.ceil(free * 0.55));
  const listRows = Math.min(groupedCount(items), most);
  const list = groupedRows(items, { selected: ui.selected, columns, rows: listRows });
  const rows = free - listRows - (items.length === 0 ? 0 : 1);
  const over = overlayOf(area);
  const name = ui.selected === "" ? "the plan" : ui.selected;
  const detail =
    over === undefined
      ? detailOf(area, rows)
      : windowOf(over.body, rows, Math.max(0, over.body.count - rows));
  return {
    lines: [
      header(area),
      rule("", columns),
      ...list,
      ...(items.length === 0 ? [] : [rule(over?.title ?? name, columns)]),
      ...indented(detail),
      rule("", columns),
      footer(area),
    ],
    scrolled: saidBody(runOf(shown, ui.selected), shown, columns - 2),
    rows,
  };
}

function detailOf({ shown, size, ui, items }: Area, rows: number): readonly Line[] {
  if (shown.kind === "nebula" && ui.selected === "") {
    return windowOf(graphBody(shown.nebula, items), rows, 0);
  }
  return padded(
    detailLines(shown, ui.selected, { columns: size.columns - 2, rows, scroll: ui.scroll }),
    rows,
  );
}

/** Columns of the left side, its frame included. */
const LEFT = 46;

/** Panels side by side: the list and what concerns all of it, and what concerns the selected one. */
function wide(area: Area): Drawn {
  const { shown, size, ui, items } = area;
  const rows = size.rows - 2;
  const right = size.columns - LEFT;
  const over = overlayOf(area);
  const listed = Math.min(items.length, Math.ceil(rows * 0.45));
  const list: readonly Placed[] =
    shown.kind === "run"
      ? []
      : [
          {
            name: "list",
            title: "Phases",
            rows: Math.max(1, listed),
            lines: (n) => plainRows(items, { selected: ui.selected, columns: LEFT - 2, rows: n }),
          },
        ];
  const lane = shown.kind === "run" ? [] : [placed("lane", area, LEFT - 2, 4)];
  const used = list.reduce((sum, one) => sum + one.rows + 1, 0) + lane.length * 5;
  const cost = placed("cost", area, LEFT - 2, 5);
  const events = placed("events", area, LEFT - 2, rows - used - 6 - 2);
  const [top, middle] = [Math.floor(rows * 0.45), Math.floor(rows * 0.2)];
  const rightPanels =
    over === undefined
      ? [
          withAbout(placed("turns", area, right - 2, top - 1), area, right - 2),
          placed("findings", area, right - 2, middle - 1),
          placed("diff", area, right - 2, rows - top - middle - 2),
        ]
      : [overPlaced(over, rows - 2)];
  const lefts = column([...list, ...lane, cost, events], LEFT, ui);
  const rights = column(rightPanels, right, ui);
  const focused = panelOf(panelName(ui), shown, ui.selected, right - 2);
  const own = [...lane, cost, events, ...rightPanels].find(({ name }) => name === panelName(ui));
  return {
    lines: [
      header(area),
      ...lefts.map((each, at) => [...each, ...(rights[at] ?? [])]),
      footer(area),
    ],
    scrolled: focused.body,
    rows: own === undefined ? 1 : own.rows - (own.still ?? 0),
  };
}

/** A panel with its place in a column. */
interface Placed {
  readonly name: "list" | PanelName | "over";
  readonly title: string;
  /** Of its inside. */
  readonly rows: number;
  /** How many of them do not scroll. @default 0 */
  readonly still?: number | undefined;
  readonly lines: (rows: number) => readonly Line[];
}

function placed(name: PanelName, { shown, ui }: Area, columns: number, rows: number): Placed {
  const { title, body } = panelOf(name, shown, ui.selected, columns);
  const isFocused =
    ui.focus === name || (shown.kind === "run" && ui.focus === "list" && name === "turns");
  const scroll = isFocused ? ui.scroll : 0;
  return { name, title, rows: Math.max(1, rows), lines: (n) => windowOf(body, n, scroll) };
}

/** Under what matters most of what is selected, which does not scroll with it. */
function withAbout(panel: Placed, { shown, ui }: Area, columns: number): Placed {
  const about = aboutLines(shown, ui.selected, columns).slice(0, Math.ceil(panel.rows / 2));
  const still = about.length;
  return { ...panel, still, lines: (n) => [...about, ...panel.lines(n - still)] };
}

function overPlaced({ title, body }: Panel, rows: number): Placed {
  return { name: "over", title, rows, lines: (n) => windowOf(body, n, 0) };
}

/** Panels one above the other, in one frame. */
function column(panels: readonly Placed[], columns: number, { focus }: Ui): readonly Line[] {
  const inside = columns - 2;
  const lines = panels.flatMap(({ name, title, rows, lines: linesOf }, at) => {
    const [left, right] = at === 0 ? ["┌", "┐"] : ["├", "┤"];
    const isFocused = focus === name;
    const head = titled(isFocused ? `[${title}]` : ` ${title} `, inside, isFocused);
    const body = padded(linesOf(rows), rows);
    return [
      [span(left, "dim"), ...head, span(right, "dim")],
      ...body.map((each) => [span("│", "dim"), ...inColumns(each, inside), span("│", "dim")]),
    ];
  });
  return [...lines, line(`└${"─".repeat(inside)}┘`, "dim")];
}

function titled(title: string, columns: number, isFocused: boolean): Line {
  const shown = inColumns([span(title, isFocused ? "bold" : undefined)], columns);
  const trimmed = span(
    shown
      .map(({ text }) => text)
      .join("")
      .trimEnd() + (isFocused ? "" : " "),
    isFocused ? "bold" : undefined,
  );
  const room = columns - lineWidth([trimmed]);
  return room < 0 ? shown : [trimmed, span("─".repeat(room), "dim")];
}

function rule(title: string, columns: number): Line {
  if (title === "") return line("─".repeat(columns), "dim");
  const head = [span("── ", "dim"), span(title, "bold"), span(" ")];
  return [...head, span("─".repeat(Math.max(0, columns - lineWidth(head))), "dim")];
}

function header({ shown, now, size }: Area): Line {
  return headerLine(shown, now, size.columns);
}

function footer({ ui, bindings, size }: Area): Line {
  return footerLine(ui, bindings, size.columns);
}

function indented(lines: readonly Line[]): readonly Line[] {
  return lines.map((each) => [span(" "), ...each]);
}

function padded(lines: readonly Line[], rows: number): readonly Line[] {
  return Array.from({ length: rows }, (_, at) => lines[at] ?? []);
}

function exactly(lines: readonly Line[], { columns, rows }: Size): readonly Line[] {
  return padded(lines.slice(0, rows), rows).map((each) => inColumns(each, columns));
}
