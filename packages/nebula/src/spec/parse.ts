import { byName } from "./by-name.ts";
import { graphOf } from "./graph.ts";
import { MANIFEST_FILE, readManifest } from "./manifest.ts";
import { readPhaseFile } from "./phase-file.ts";
import type { NebulaSpec, PhaseDefaults, PhaseFile, PhaseSpec, SpecProblem } from "./types.ts";
import { isError, validate } from "./validate.ts";

/** The texts of a nebula's files, as far as they can be read. */
export interface NebulaFiles {
  /** `undefined`: it cannot be read. */
  readonly manifest: string | undefined;
  /** In the order of the bytes of their names. */
  readonly phases: readonly { readonly file: string; readonly text: string }[];
  /** Why others could not be read. */
  readonly problems: readonly SpecProblem[];
}

export interface ParseOptions {
  /** Whether a key that there is not is an error. @default false: it is a warning */
  readonly isStrict?: boolean | undefined;
}

export interface ParsedNebula {
  /** `undefined` where a problem is an error. */
  readonly spec: NebulaSpec | undefined;
  /** By the file, nebula.toml first. */
  readonly problems: readonly SpecProblem[];
}

/** What the files of a nebula say together. Everything that is wrong is found, not only the first. */
export function parseNebula(
  files: NebulaFiles,
  { isStrict = false }: ParseOptions = {},
): ParsedNebula {
  const manifest = readManifest(files.manifest ?? "");
  const read = files.phases.map(({ file, text }) => readPhaseFile(file, text));
  const found = [
    ...files.problems,
    ...(files.manifest === undefined ? [] : manifest.problems),
    ...read.flatMap(({ problems }) => problems),
  ].map((problem) => (isStrict ? strict(problem) : problem));
  const phases = read.flatMap(({ phase }) => (phase === undefined ? [] : [phase]));
  const more = validate(manifest.manifest, phases, !found.some(isError));
  // Of what could not be read nothing is known to be missing.
  const isKnown =
    files.manifest !== undefined &&
    manifest.problems.every(({ category }) => category !== "syntax");
  const problems = [...found, ...more.filter(({ file }) => isKnown || file !== MANIFEST_FILE)];
  const spec = problems.some(isError)
    ? undefined
    : { ...manifest.manifest, phases: phasesOf(phases, manifest.manifest.defaults) };
  return { spec, problems: byFile(problems) };
}

function strict(problem: SpecProblem): SpecProblem {
  return problem.category === "unknown_key" ? { ...problem, severity: "error" } : problem;
}

function phasesOf(phases: readonly PhaseFile[], defaults: PhaseDefaults): readonly PhaseSpec[] {
  const { dependencies } = graphOf(phases);
  return phases.map((phase, at) => ({
    ...phase,
    type: phase.type === "" ? defaults.type : phase.type,
    priority: phase.priority === 0 ? defaults.priority : phase.priority,
    labels: phase.labels.length === 0 ? defaults.labels : phase.labels,
    assignee: phase.assignee === "" ? defaults.assignee : phase.assignee,
    dependsOn: (dependencies[at] ?? []).flatMap((place) => phases[place]?.id ?? []),
  }));
}

function byFile(problems: readonly SpecProblem[]): readonly SpecProblem[] {
  const rank = ({ file }: SpecProblem): string => (file === MANIFEST_FILE ? "" : file);
  return problems.toSorted((a, b) => byName(rank(a), rank(b)));
}
