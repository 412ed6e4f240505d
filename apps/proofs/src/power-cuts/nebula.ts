import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { FOLDER, makeNebulaFixture } from "../torture/nebula/fixture.ts";
import {
  damageOf,
  hasTrees,
  isInBranch,
  landingsOf,
  leftovers,
  nebulaOf,
  type Place,
  unsoundOf,
  userOf,
} from "../torture/nebula/observe.ts";
import {
  coderTurn,
  reviewerTurn,
  subjectsOf,
  taskOf,
  type TorturedNebula,
} from "../torture/nebula/tortured-nebula.ts";
import type { Line } from "./guest.ts";
import { type Judged, quote, type Verdict, type Victim } from "./victim.ts";

const IDS = ["a", "b"];

const NEBULA: TorturedNebula = {
  phases: { a: [], b: [] },
  order: "plan",
  workers: 2,
  turns: [
    ...IDS.map((id) => coderTurn(taskOf(id), { [`${id}.txt`]: `${id}\n` })),
    ...IDS.map((id) => reviewerTurn(taskOf(id))),
  ],
  hasFixedBases: false,
};

/** A nebula whose phases are worked on and landed, and verified with the folder's own command. */
export function nebulaVictim(disk: string): Victim {
  const place = makePlace(disk);
  const agent = quote(`scripted:${writeScript(place)}`);
  const apply = `quasar nebula apply ${FOLDER} --auto --json --coder ${agent} --reviewer ${agent}`;
  const user = userOf(place);
  return {
    workspace: { cwd: place.work, env: place.env },
    work: [`${apply} --trust-config`],
    resume: `${apply} --resume`,
    lines: [12, 36], // from the first coder's end to the last landing
    judgeCut: async (lines) => judgeCut(place, lines),
    judgeResumed: (judged, lines, after) => [
      ...judgeResumed(place, judged, lines, after),
      ...(isDeepStrictEqual(userOf(place), user) ? [] : ["the user's own work tree is another"]),
    ],
  };
}

function makePlace(disk: string): Place {
  const root = join(disk, "place");
  const [work, home] = [join(root, "work"), join(root, "home")];
  mkdirSync(home, { recursive: true });
  const made = mkdtempSync(join(tmpdir(), "quasar-cuts-fixture-"));
  try {
    const fixture = makeNebulaFixture(made, NEBULA);
    cpSync(fixture.work, work, { recursive: true });
  } finally {
    rmSync(made, { recursive: true });
  }
  const { PATH = "" } = process.env;
  const env = { PATH, HOME: home, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };
  return { root, work, home, env };
}

function writeScript({ root }: Place): string {
  const path = join(root, "script.json");
  const turns = NEBULA.turns.map((turn) => ({ ...turn, delayMs: 50, costUsd: 0.1 }));
  writeFileSync(path, JSON.stringify({ turns, responseUsd: 0.25 }));
  return path;
}

/** Landings that were printed, by their commits. */
function printedLandings(lines: readonly Line[]): readonly string[] {
  return ofKind(lines, "phase_landed").map(({ sha }) => String(sha));
}

function ofKind(lines: readonly Line[], what: string): readonly Line[] {
  return lines.filter((line) => line.type === "nebula_event" && line["what"] === what);
}

function judgeCut(place: Place, lines: readonly Line[]): Judged {
  const damage = damageOf(place);
  if (damage.length > 0) return { bad: damage, isOpen: false };
  const nebula = nebulaOf(place);
  const phases = nebula?.phases ?? [];
  const recorded = phases.filter(({ landing }) => landing > 0).map(({ candidate }) => candidate);
  const isBegun = ofKind(lines, "nebula_begun").length > 0;
  const bad = [
    ...(isBegun && nebula === undefined ? ["the nebula is lost"] : []),
    ...printedLandings(lines)
      .filter((sha) => !recorded.includes(sha))
      .map((sha) => `the landing ${sha} is not in the state`),
    // A landing that the power cut took back is repeated by the next engine.
    ...unsoundOf(place, true),
  ];
  // Of one whose phases have all landed a resume removes the work trees that are left.
  const hasMore = phases.some(({ status }) => status !== "done") || hasTrees(place);
  return { bad, isOpen: hasMore };
}

function judgeResumed(
  place: Place,
  { isOpen }: Judged,
  lines: readonly Line[],
  after: readonly Line[],
): Verdict {
  const damage = damageOf(place);
  if (damage.length > 0) return damage;
  const { code } = after.findLast(({ type }) => type === "left") ?? { code: "nothing" };
  const refused = after.findLast((line) => line["message"] !== undefined)?.["message"];
  const left = `the resume left with ${String(code)}: ${String(refused)}`;
  const landed = printedLandings(lines).filter((sha) => !isInBranch(place, sha));
  const lost = landed.map((sha) => `the landing ${sha} is not in the branch`);
  if (nebulaOf(place) === undefined) return code === 8 ? lost : [...lost, left];
  const subjects = landingsOf(place).map((line) => line.replace(/^\S+ /u, ""));
  return [
    ...(code === (isOpen ? 0 : 8) ? [] : [left]),
    ...lost,
    ...(isDeepStrictEqual(subjects, subjectsOf(NEBULA)) ? [] : [`landed: ${subjects.join(", ")}`]),
    ...unsoundOf(place, false),
    ...leftovers(place).map((each) => `left: ${each}`),
  ];
}
