import { suggestion } from "@quasar/runs/internal";
import { ancestryOf, findCycles, type Graph, graphOf } from "./graph.ts";
import { MANIFEST_FILE, type ManifestSpec } from "./manifest.ts";
import { findOverlaps } from "./overlaps.ts";
import type { PhaseFile, ProblemCategory, Routing, SpecProblem } from "./types.ts";

/**
 * What the files of a nebula say that cannot be, beyond their syntax. All of it, but cycles only where nothing else is wrong, and
 * overlapping scopes only where there is no cycle either.
 *
 * @param isSound - Whether the files have no error so far.
 */
export function validate(
  manifest: ManifestSpec,
  phases: readonly PhaseFile[],
  isSound: boolean,
): readonly SpecProblem[] {
  const problems = [
    ...manifestProblems(manifest),
    ...phases.flatMap(phaseProblems),
    ...doubledIds(phases),
    ...unknownNames(phases),
  ];
  if (!isSound || problems.some(isError)) return problems;
  const graph = graphOf(phases);
  const cycles = cycleProblems(phases, graph);
  return [...problems, ...(cycles.length > 0 ? cycles : overlapProblems(phases, graph))];
}

export function isError({ severity }: SpecProblem): boolean {
  return severity === "error";
}

function manifestProblems({ name, execution, dependencies }: ManifestSpec): readonly SpecProblem[] {
  const { requiresBeads, requiresNebulae } = dependencies;
  const isNamed = name.trim() !== "";
  return [
    ...(isNamed ? [] : [ofManifest("missing_field", "nebula.name", "the nebula has no name")]),
    ...routingProblems(execution.routing),
    ...Object.entries({
      "dependencies.requires_beads": requiresBeads,
      "dependencies.requires_nebulae": requiresNebulae,
    }).flatMap(([field, names]) =>
      names.includes("") ? [ofManifest("missing_field", field, `${field} has an empty entry`)] : [],
    ),
    ...(requiresBeads.length === 0
      ? []
      : [unsupported("dependencies.requires_beads", "quasar has no issue tracker to ask")]),
    ...(execution.autoDecompose
      ? [unsupported("execution.auto_decompose", "quasar does not split phases")]
      : []),
    ...(execution.maxContextTokens > 0
      ? [unsupported("execution.max_context_tokens", "agents know how much they can read")]
      : []),
  ];
}

function ofManifest(category: ProblemCategory, field: string, message: string): SpecProblem {
  return { category, severity: "error", file: MANIFEST_FILE, field, message };
}

function unsupported(field: string, why: string): SpecProblem {
  const message = `${field} is not supported and has no effect: ${why}`;
  return { category: "unsupported", severity: "warning", file: MANIFEST_FILE, field, message };
}

function routingProblems({ enabled, tiers }: Routing): readonly SpecProblem[] {
  if (!enabled) return [];
  const at = "execution.routing.tiers";
  const bad = (field: string, message: string): SpecProblem =>
    ofManifest("invalid_routing", field, message);
  const names = tiers.map(({ name }) => name);
  const each = tiers.flatMap(({ name, model, maxScore }, n) => {
    const where = `${at}[${n}]`;
    const before = tiers[n - 1]?.maxScore ?? -Infinity;
    return [
      ...(model === "" ? [bad(`${where}.model`, `${where} names no model`)] : []),
      ...(name === "" ? [bad(`${where}.name`, `${where} has no name`)] : []),
      ...(name !== "" && names.indexOf(name) < n
        ? [bad(`${where}.name`, `two tiers are called ${quoted(name)}`)]
        : []),
      ...(maxScore < before
        ? [bad(`${where}.max_score`, `${where}.max_score is less than that of the tier before it`)]
        : []),
    ];
  });
  const last = tiers.at(-1);
  const isOpen = last !== undefined && last.maxScore < 1;
  return [...each, ...(isOpen ? [bad(at, "the last tier has a max_score below 1")] : [])];
}

function phaseProblems(phase: PhaseFile): readonly SpecProblem[] {
  const { id, file, title, body } = phase;
  const problem = (
    category: ProblemCategory,
    field: string | undefined,
    message: string,
    severity: SpecProblem["severity"] = "error",
  ): SpecProblem => ({
    ...{ category, severity, file },
    ...(id !== "" && { phaseId: id }),
    ...(field !== undefined && { field }),
    message,
  });
  const what = id === "" ? file : quoted(id);
  return [
    ...(id === "" ? [problem("missing_field", "id", `${file} has no id`)] : []),
    ...(/\p{Cc}/u.test(id)
      ? [problem("invalid_id", "id", `the id ${quoted(id)} has control characters`)]
      : []),
    ...(title.trim() === "" ? [problem("missing_field", "title", `${what} has no title`)] : []),
    ...(body === "" ? [problem("empty_body", undefined, `${what} does not say what to do`)] : []),
    ...(phase.autoDecompose === true
      ? [problem("unsupported", "auto_decompose", `${NO_SPLIT}: auto_decompose`, "warning")]
      : []),
    ...(phase.decomposed
      ? [problem("unsupported", "decomposed", `${NO_SPLIT}: ${what} is like any other`, "warning")]
      : []),
  ];
}

const NO_SPLIT = "quasar does not split phases";

/** Names that a file system may take for the same are the same. */
function folded(id: string): string {
  return id.normalize("NFC").toLowerCase();
}

function doubledIds(phases: readonly PhaseFile[]): readonly SpecProblem[] {
  const first = new Map<string, PhaseFile>();
  return phases.flatMap((phase): readonly SpecProblem[] => {
    const { id, file } = phase;
    if (id === "") return [];
    const other = first.get(folded(id));
    if (other === undefined) {
      first.set(folded(id), phase);
      return [];
    }
    const as = other.id === id ? "" : ` as ${quoted(other.id)}, which differs only in case`;
    const message = `${quoted(id)} is already in ${other.file}${as}`;
    return [
      { category: "duplicate_id", severity: "error", file, phaseId: id, field: "id", message },
    ];
  });
}

function unknownNames(phases: readonly PhaseFile[]): readonly SpecProblem[] {
  const ids = new Set(phases.map(({ id }) => id));
  return phases.flatMap(({ id, file, dependsOn, blocks }) => {
    const others = (): readonly string[] => [...ids].filter((other) => other !== id);
    const unknown = (field: string, verb: string, names: readonly string[]): SpecProblem[] =>
      names
        .filter((name) => !ids.has(name))
        .map((name) => ({
          ...{ category: "unknown_dep", severity: "error", file, phaseId: id, field },
          message: `${quoted(id)} ${verb} ${quoted(name)}, which is no phase${suggestion(name, others())}`,
        }));
    return [
      ...unknown("depends_on", "depends on", dependsOn),
      ...unknown("blocks", "blocks", blocks),
    ];
  });
}

function cycleProblems(phases: readonly PhaseFile[], graph: Graph): readonly SpecProblem[] {
  return findCycles(graph).flatMap((cycle) => {
    const members = cycle.flatMap((place) => phases.slice(place, place + 1));
    const [first] = members;
    if (first === undefined) return [];
    const round = [...members, first].map(({ id }) => quoted(id)).join(" needs ");
    const message = members.length === 1 ? `${round}: self-referencing edge` : round;
    const { file, id: phaseId } = first;
    return [{ category: "cycle", severity: "error", file, phaseId, field: "depends_on", message }];
  });
}

function overlapProblems(phases: readonly PhaseFile[], graph: Graph): readonly SpecProblem[] {
  return findOverlaps(phases, ancestryOf(graph))
    .filter(({ isAllowed }) => !isAllowed)
    .map(({ phases: [a, b], patterns: [one, other] }) => {
      const both = one === other ? quoted(one) : `${quoted(one)} and ${quoted(other)}`;
      const what = `${quoted(a.id)} and ${quoted(b.id)} may both change ${both}`;
      return {
        ...{ category: "scope_overlap", severity: "error", file: a.file, phaseId: a.id },
        field: "scope",
        message: `${what}: add a dependency, narrow a scope, or set allow_scope_overlap`,
      };
    });
}

const MOST_QUOTED = 80;

function quoted(text: string): string {
  return JSON.stringify(text.length > MOST_QUOTED ? `${text.slice(0, MOST_QUOTED)}…` : text);
}
