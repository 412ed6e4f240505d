import { type Text, wordsOfName } from "./text.ts";
import type { Exception, Word } from "./words.ts";

/** A word that should be another one. */
export interface Found {
  readonly word: Word;
  /** What stands there: the words, or the whole name that has them. */
  readonly text: string;
  readonly start: number;
}

/** Finds words in the texts of a file, and remembers which exceptions it has needed. */
export class WordFinder {
  readonly #words: readonly Pattern[];
  /** All of them in one: most texts have none. */
  readonly #any: RegExp;
  readonly #unused: Set<Exception>;

  constructor(words: readonly Word[]) {
    this.#words = words.map((word) => ({ word, pattern: patternOf(word.not) }));
    this.#any = patternOf(words.map(({ not }) => not).join("|"));
    this.#unused = new Set(words.flatMap(({ except = [] }) => except));
  }

  /** @param path - Of the file, from the root: an exception may be of some files only. */
  find(path: string, text: Text): readonly Found[] {
    const asName = text.kind === "identifier" || !/\s/.test(text.text.trim());
    if ((asName ? wordsOfName(text.text) : text.text).search(this.#any) === -1) return [];
    return this.#words
      .filter(({ word }) => word.in.includes(text.kind) && (word.only?.test(path) ?? true))
      .flatMap((pattern) =>
        asName ? this.#inName(pattern, path, text) : this.#inSentence(pattern, path, text),
      );
  }

  /** Exceptions that no text has needed so far. */
  unused(): readonly Exception[] {
    return [...this.#unused];
  }

  #inName({ word, pattern }: Pattern, path: string, { text, start }: Text): readonly Found[] {
    if (wordsOfName(text).search(pattern) === -1) return [];
    const name = text.trim();
    const excepted = this.#exceptions(word, path).some((exception) => {
      const isIt = /\W/.test(name) ? name.includes(exception.text) : name === exception.text;
      if (isIt) this.#unused.delete(exception);
      return isIt;
    });
    return excepted ? [] : [{ word, text: name, start: start + text.indexOf(name) }];
  }

  #inSentence({ word, pattern }: Pattern, path: string, { text, start }: Text): readonly Found[] {
    return [...text.matchAll(pattern)]
      .filter((found) => {
        const excepted = this.#exceptions(word, path).some((exception) => {
          const isIt = covers(text, exception.text, found.index, found[0].length);
          if (isIt) this.#unused.delete(exception);
          return isIt;
        });
        return !excepted;
      })
      .map((found) => ({ word, text: found[0], start: start + found.index }));
  }

  #exceptions({ except = [] }: Word, path: string): readonly Exception[] {
    return except.filter(
      ({ files }) =>
        files === undefined ||
        files.some((file) => path.startsWith(file) || path.endsWith(`/${file}`)),
    );
  }
}

interface Pattern {
  readonly word: Word;
  readonly pattern: RegExp;
}

/** Whole words in any case, also over the end of a line, but not of a paragraph. */
function patternOf(not: string): RegExp {
  const spaces = String.raw`(?:[^\S\n]+|[^\S\n]*\n[^\S\n]*)`;
  return new RegExp(String.raw`(?<![\w'-])(?:${not.replaceAll(" ", spaces)})(?![\w-])`, "gi");
}

/** Whether `part` stands in `text` so that it holds the characters from `start` on. */
function covers(text: string, part: string, start: number, length: number): boolean {
  for (let at = text.indexOf(part); at !== -1; at = text.indexOf(part, at + 1)) {
    if (at <= start && start + length <= at + part.length) return true;
  }
  return false;
}
