import { cell, cellRight, type Line, line, span } from "./line.ts";
import { GROUPS, GROUP_TITLES, type Item } from "./items.ts";

/** The list with a title above each group. */
export function groupedRows(
  items: readonly Item[],
  { selected, columns, rows }: ListOptions,
): readonly Line[] {
  const all = GROUPS.flatMap((group) => {
    const those = items.filter((item) => item.group === group);
    return those.length === 0 ? [] : [GROUP_TITLES[group], ...those];
  });
  const shown = around(all, selected, rows);
  const lines = shown.map((row) =>
    typeof row === "string" ? line(` ${row}`, "bold") : wideRow(row, selected, columns),
  );
  const last = shown.at(-1);
  const hidden = all.slice(all.lastIndexOf(last ?? "") + 1);
  // A title with nothing under it says nothing.
  if (typeof last !== "string" || hidden.length === 0) return lines;
  const count = hidden.filter((row) => typeof row !== "string").length;
  return [...lines.slice(0, -1), line(` ${count} more`, "dim")];
}

/** The list for a narrow panel: the group is in the mark alone. */
export function plainRows(
  items: readonly Item[],
  { selected, columns, rows }: ListOptions,
): readonly Line[] {
  return around(items, selected, rows).map((item) => narrowRow(item, selected, columns));
}

interface ListOptions {
  readonly selected: string;
  readonly columns: number;
  /** Most rows. */
  readonly rows: number;
}

/** How many rows the grouped list has. */
export function groupedCount(items: readonly Item[]): number {
  return items.length + new Set(items.map(({ group }) => group)).size;
}

/** So many rows, the selected one among them. */
function around<T extends Item | string>(
  all: readonly T[],
  selected: string,
  rows: number,
): readonly T[] {
  const at = all.findIndex((row) => typeof row !== "string" && row.id === selected);
  const from = Math.max(0, Math.min(at - Math.floor(rows / 2), all.length - rows));
  return all.slice(from, from + rows);
}

function markSpans({ id, mark, style }: Item, selected: string): Line {
  return [span(id === selected ? ">" : " ", "bold"), span(`${mark} `, style)];
}

function nameCell(item: Item, selected: string, columns: number) {
  const name = item.id === "" ? "the plan" : item.id;
  return cell(name, columns, item.id === selected ? "bold" : undefined);
}

function wideRow(item: Item, selected: string, columns: number): Line {
  const activity = columns - 3 - NAME - 1 - ROLE - 1 - AGE - 1 - COST - 1 - CYCLE - 1;
  return [
    ...markSpans(item, selected),
    nameCell(item, selected, NAME),
    span(" "),
    cell(item.role, ROLE, item.style),
    span(" "),
    cell(item.activity, activity),
    cellRight(item.age, AGE + 1, "dim"),
    ...lastCells(item, COST + 1, CYCLE + 1),
  ];
}

/** What it costs, and its cycle; of what is worked on elsewhere the machine in their place. */
function lastCells({ machine, cost, cycle }: Item, costs: number, cycles: number): Line {
  if (machine !== undefined) return [span(" "), cell(machine, costs + cycles - 1)];
  return [cellRight(cost, costs), cellRight(cycle, cycles, "dim")];
}

const NAME = 14;
const NARROW_NAME = 12;
const ROLE = 8;
const AGE = 7;
const COST = 7;
const CYCLE = 6;

function narrowRow(item: Item, selected: string, columns: number): Line {
  const { brief, role, activity, style } = item;
  const head = [...markSpans(item, selected), nameCell(item, selected, NARROW_NAME), span(" ")];
  const room = columns - 3 - NARROW_NAME - 1;
  if (item.age === "" && item.cost === "" && (item.machine ?? "") === "") {
    return [...head, cell(role === "" ? activity : role, room, style)];
  }
  return [
    ...head,
    cell(brief, room - AGE - COST - CYCLE, style),
    cellRight(item.age, AGE, "dim"),
    ...lastCells(item, COST, CYCLE),
  ];
}
