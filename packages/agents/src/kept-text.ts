/** Lines of which the first and the last are kept, where there are too many. */
export interface KeptText {
  add(line: string): void;
  /** Lines are missing here. @param size - In characters, line breaks included. */
  omit(size: number): void;
  /** What is kept, a line break between lines; where something is left out, a line says how much. */
  text(): string;
  isCut(): boolean;
}

/** @param most - How many characters are kept; half of them from the beginning. A last line has as many for itself. */
export function createKeptText(most: number): KeptText {
  const [first, last]: [string[], string[]] = [[], []];
  let [atStart, atEnd, left, from] = [0, 0, 0, 0];
  return {
    omit(size) {
      left += size;
    },
    add(line) {
      const size = line.length + 1;
      if (left === 0 && last.length === 0 && atStart + size <= most / 2) {
        first.push(line);
        atStart += size;
        return;
      }
      const kept = endOf(line, most);
      left += line.length - kept.length;
      last.push(kept);
      atEnd += kept.length + 1;
      for (; atEnd > most / 2 && from < last.length - 1; from += 1) {
        const gone = (last[from] ?? "").length + 1;
        atEnd -= gone;
        left += gone;
      }
      if (from > last.length / 2) from -= last.splice(0, from).length;
    },
    text() {
      const note = left === 0 ? [] : [`… ${left} characters are left out here …`];
      return [...first, ...note, ...last.slice(from)].join("\n");
    },
    isCut: () => left > 0,
  };
}

/** A slice would keep all of the line in memory. */
function endOf(line: string, most: number): string {
  return line.length <= most ? line : structuredClone(line.slice(-most));
}
