import { refusalNext, refusalWords } from "../system-errors.ts";
import { type Finding, ok, problem, warning } from "./finding.ts";

/** A folder that a run writes in, and what the system says to that. */
export interface FolderFacts {
  /** What it is, in words. */
  readonly what: string;
  readonly path: string;
  /** Name of the system's error, where nothing can be written in it. */
  readonly refusal: string | undefined;
  /** Whether a run can do without. */
  readonly isSpare: boolean;
}

/** What refuses for one reason has mostly one cause: the first of them is what a person looks at. */
function refusedTogether(folders: readonly FolderFacts[]): readonly Finding[] {
  const [first] = folders;
  if (first?.refusal === undefined) return [];
  const { refusal, isSpare, path } = first;
  const places = folders.map((folder) => `${folder.what} ${folder.path}`).join(", ");
  const message = `nothing can be written, ${refusalWords(refusal) ?? refusal}: ${places}`;
  const next = refusalNext(refusal, path) ?? [];
  return [isSpare ? warning("folders", message, next) : problem("folders", message, next)];
}

/** Whether a run can write where it has to: one line for all where it can. */
export function folderFindings(folders: readonly FolderFacts[]): readonly Finding[] {
  const groups = Map.groupBy(folders, ({ refusal, isSpare }) => `${refusal} ${isSpare}`);
  const refused = [...groups.values()].flatMap(refusedTogether);
  const names = folders.filter(({ refusal }) => refusal === undefined).map(({ what }) => what);
  return refused.length > 0 ? refused : [ok("folders", `can be written: ${names.join(", ")}`)];
}
