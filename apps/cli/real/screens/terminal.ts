// What a program has written to a terminal, as a person reads it there once it is over.

/** A sequence of the terminal's, or one character. */
// oxlint-disable-next-line no-control-regex
const PART = /\u001b\[([?\d;]*)([A-Za-z])|([^])/gu;

/**
 * The rows that stay on a terminal, those that have scrolled away included.
 *
 * @throws {Error} where a sequence is written whose effect is not known here.
 */
export function rowsOf(written: string, columns: number): readonly string[] {
  const rows: string[][] = [[]];
  let [row, column, wraps] = [0, 0, true];
  const to = (nextRow: number, nextColumn: number): void => {
    [row, column] = [Math.max(0, nextRow), Math.max(0, nextColumn)];
    while (rows.length <= row) rows.push([]);
  };
  const put = (character: string): void => {
    if (column === columns && wraps) to(row + 1, 0);
    const cells = rows[row] ?? [];
    while (cells.length < column) cells.push(" ");
    cells[Math.min(column, columns - 1)] = character;
    column = Math.min(column + 1, columns);
  };
  for (const [whole, given = "", effect, character] of written.matchAll(PART)) {
    const count = Number(given === "" ? 1 : given);
    if (character === "\n") to(row + 1, column);
    else if (character === "\r") to(row, 0);
    else if (character === "\u0007") continue;
    else if (character !== undefined) put(character);
    else if (effect === "A") to(row - count, column);
    else if (effect === "G") to(row, count - 1);
    else if (effect === "J" || effect === "K") {
      rows[row]?.splice(column);
      if (effect === "J") rows.splice(row + 1);
    } else if (given === "?7") wraps = effect === "h";
    else if (!/^\?(?:25|2004|2026)$/u.test(given) && effect !== "m") {
      throw new Error(`the terminal does not know ${JSON.stringify(whole)}`);
    }
  }
  const lines = rows.map((cells) => cells.join("").trimEnd());
  return lines.slice(0, lines.findLastIndex((line) => line !== "") + 1);
}
