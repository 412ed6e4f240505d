import { cut, oneLine } from "../text.ts";

/** What git is controlled by in a work tree: each a group of texts by name. */
export interface FoundControls {
  /** The files by which a work tree names its repository, by path. */
  readonly places: Texts;
  /** By name; without logins and secrets. */
  readonly settings: Texts;
  /** Git hooks, by path. */
  readonly hooks: Texts;
  /** What the main work tree has as hooks, where that is another one. */
  readonly mainHooks: Texts;
  /** Files of rules beside the settings, by path. */
  readonly rules: Texts;
  /** Objects that others are read for, by the id of the one that is replaced. */
  readonly replaced: Texts;
  /** What git was told not to look at, by path. */
  readonly hidden: Texts;
}

type Texts = Readonly<Record<string, string>>;

/** One difference in what controls git. */
export interface ControlChange {
  /** What it was and is, in one line. */
  readonly words: string;
  /**
   * Whether it decides which programs git starts, whom it trusts or where work goes: nothing is committed or pushed
   * with it that a person has not accepted.
   */
  readonly decides: boolean;
}

/** What is checked out. */
export type Branch =
  | { readonly is: "known"; readonly name: string }
  | { readonly is: "none" }
  /** Whatever is said of any branch may be about it. */
  | { readonly is: "unknown" };

export function controlChanges(
  was: FoundControls,
  is: FoundControls,
  branch: Branch,
): readonly ControlChange[] {
  const known = new Map(Object.entries(was.mainHooks));
  return [
    ...different(was.places, is.places).map(([path, before, now]) => ({
      words: `${line(path)}: ${how(before, now)}`,
      decides: true,
    })),
    ...different(was.settings, is.settings).flatMap(([name, before, now]) => {
      const decides = decidesWork(name, branch);
      if (decides === undefined) return [];
      return [{ words: `${line(name)}: ${shown(now)} (was ${shown(before)})`, decides }];
    }),
    ...different(was.hooks, is.hooks)
      .filter(([path, , now]) => now === undefined || known.get(path) !== now)
      .map(([path, before, now]) => ({
        words: `git hook ${line(path)}: ${how(before, now)}`,
        decides: true,
      })),
    ...different(was.rules, is.rules).map(([path, before, now]) => ({
      words: `${line(path)}: ${how(before, now)}`,
      decides: false,
    })),
    ...different(was.replaced, is.replaced).map(([id, before, now]) => ({
      words: `git replace of ${line(id)}: ${how(before, now)}`,
      decides: false,
    })),
    ...different(was.hidden, is.hidden).map(([path, before, now]) => ({
      words: `${line(path)}: ${now ?? `no longer ${before}`}`,
      decides: false,
    })),
  ];
}

type Difference = readonly [name: string, before: string | undefined, now: string | undefined];

/** What is not the same in two of them. */
export function different(was: Texts, is: Texts): readonly Difference[] {
  // Maps: names come from the repository, and may be those of an object's own methods.
  const [before, now] = [new Map(Object.entries(was)), new Map(Object.entries(is))];
  return [...new Set([...before.keys(), ...now.keys()])]
    .filter((name) => before.get(name) !== now.get(name))
    .map((name) => [name, before.get(name), now.get(name)]);
}

/** Settings that change neither what git starts nor where work goes, or by which other rules of a run look. */
const HARMLESS =
  /^(?:(?:user|author|committer)\.(?:name|email)|(?:advice|alias|color|column|fetch|gc|gitflow|help|init|maintenance|pull|rerere)\..*|safe\.directory|remote\..*\.gh-resolved|submodule\..*\.(?:url|active)|lfs\.(?:repositoryformatversion|.*\.(?:access|locksverify))|core\.(?:abbrev|autocrlf|editor|eol|safecrlf|filemode|ignorecase|precomposeunicode|quotepath|symlinks|excludesfile|attributesfile|trustctime|checkstat|ignorestat|untrackedcache|sparsecheckout|sparsecheckoutcone))$/su;

/**
 * `undefined`: it is of no interest. Of branches only the one that is worked on matters, and where its work goes: also
 * where that is said no more.
 */
function decidesWork(name: string, branch: Branch): boolean | undefined {
  if (!name.startsWith("branch.")) return !HARMLESS.test(name);
  const key = name.slice(name.lastIndexOf(".") + 1);
  const isWay = key === "remote" || key === "pushremote";
  const isOwn =
    branch.is === "unknown" || (branch.is === "known" && name === `branch.${branch.name}.${key}`);
  return isWay && isOwn ? true : undefined;
}

/** A line of a message, and of a command's argument. */
const LONGEST = 200;

function shown(value: string | undefined): string {
  return value === undefined
    ? "not set"
    : JSON.stringify(line(value.replace(LOGIN, "://").replaceAll("\0", ", ")));
}

/** As the settings are stored. */
const LOGIN = /:\/\/\([0-9a-f]*\)@/gu;

function how(before: string | undefined, now: string | undefined): string {
  if (before === undefined) return "new";
  return now === undefined ? "removed" : "changed";
}

function line(text: string): string {
  return cut(oneLine(text), LONGEST);
}
