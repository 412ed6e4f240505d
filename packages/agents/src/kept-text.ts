/** Lines of which the first and the last are kept, where there are too many. */
export interface KeptText {
  add(line: string): void;
  /** What is kept, a line break between lines; where something is left out, a line says how much. */
  text(): string;
  isCut(): boolean;
}

/** @param most - How many characters are kept; half of them from the beginning. */
export function createKeptText(most: number): KeptText {
  const [first, last]: [string[], string[]] = [[], []];
  let [atStart, atEnd, left, from] = [0, 0, 0, 0];
  return {
    add(line) {
      const size = line.length + 1;
      if (left === 0 && last.length === 0 && atStart + size <= most / 2) {
        first.push(line);
        atStart += size;
        return;
      }
      last.push(line);
      atEnd += size;
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
