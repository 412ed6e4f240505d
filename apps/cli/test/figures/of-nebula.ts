import { openWorkspace } from "@quasar/runs/internal";
import { openNebulaSource } from "../../src/cockpit/live/nebula.ts";
import type { Place } from "../harness.ts";
import type { Connected } from "../mcp-client.ts";
import {
  cents,
  type Facts,
  factsIn,
  findingCounts,
  found,
  lineOf,
  listIn,
  markdownOf,
  type MoneyFigures,
  moneyIn,
  numberIn,
  pageOf,
  screenOf,
  spentIn,
  tableOf,
  USD,
} from "./read.ts";

/** What readers say of a nebula in numbers and words. */
export interface NebulaFigures extends MoneyFigures {
  readonly status: string;
  readonly landedCount: number;
  readonly phaseCount: number;
  /** By the phase's id: what it needs, else how it stands. */
  readonly needs: Readonly<Record<string, string>>;
  readonly standings: Readonly<Record<string, string>>;
  /** What is known of the cost of each phase that has begun. */
  readonly costs: Readonly<Record<string, number>>;
  /** Phases in the order in which they landed. */
  readonly landings: readonly string[];
  readonly attemptCount: number;
  readonly turnCount: number;
  readonly openCount: number;
  readonly fixedCount: number;
  readonly crashCount: number;
  readonly resumeCount: number;
}

/** Reads what one reader shows. */
export type NebulaReader = (
  at: Place,
  id: string,
  server: Connected,
) => Promise<Partial<NebulaFigures>>;

/** All that show a nebula, by what a person calls them. */
export const NEBULA_READERS: Readonly<Record<string, NebulaReader>> = {
  "quasar nebula status --json": async (at, id) => inLine(await lineOf(at, "nebula", "status", id)),
  "quasar report --json": async (at, id) => {
    const report = await lineOf(at, "report", id);
    return {
      ...inLine(report),
      ...moneyIn(report),
      needs: byPhase(listIn(report["needs"]), "phaseId", "kind"),
      landings: listIn(report["landings"]).map(({ phaseId }) => String(phaseId)),
      turnCount: turnsIn(report["costByPhase"]),
      crashCount: Number(report["crashCount"]),
      resumeCount: Number(report["resumeCount"]),
    };
  },
  "quasar report": async (at, id) => inMarkdown(await markdownOf(at, id)),
  "quasar report --html": async (at, id) => inFacts(factsIn((await pageOf(at, id))["nebula"])),
  "the cockpit": async (at, id) => {
    const workspace = await openWorkspace(at.repo);
    const facts = await openNebulaSource(workspace, id, { runs: "newest" }).read();
    if (facts === undefined) throw new Error("there is nothing to show");
    return {
      ...inFirstLine(screenOf(facts)),
      ...inCostPanel(screenOf(facts, { focus: "cost", isZoomed: true })),
      landings: landingsIn(screenOf(facts, { focus: "lane", isZoomed: true })),
    };
  },
  "the tools of MCP": async (_at, id, { call }) => {
    const { facts: status } = await call("run_status", { id });
    const money = factsIn((await call("run_cost", { id })).facts["money"]);
    const phases = listIn(status["phases"]);
    return {
      ...{ landedCount: Number(status["landedCount"]), phaseCount: Number(status["phaseCount"]) },
      needs: byPhase(listIn(status["needs"]), "phase", "kind"),
      standings: byPhase(phases, "phase", "status"),
      attemptCount: phases.reduce((sum, { runs }) => sum + listIn(runs).length, 0),
      ...{
        ...moneyIn(money),
        costs: costsIn(money["byPhase"]),
        turnCount: turnsIn(money["byPhase"]),
      },
    };
  },
};

function byPhase(all: readonly Facts[], id: string, key: string): Readonly<Record<string, string>> {
  return Object.fromEntries(all.map((each) => [wordIn(each[id]), String(each[key])]));
}

function costsIn(shares: unknown): Readonly<Record<string, number>> {
  return Object.fromEntries(
    listIn(shares).map(({ name, knownUsd }) => [wordIn(name), cents(knownUsd)]),
  );
}

/** A word of others, which a tool marks as untrusted. */
function wordIn(value: unknown): string {
  return String(factsIn(value)["untrusted"] ?? value);
}

function turnsIn(shares: unknown): number {
  return listIn(shares).reduce((sum, { turnCount }) => sum + Number(turnCount), 0);
}

/** What the lines of status and report both have. */
function inLine(line: Facts): Partial<NebulaFigures> {
  const phases = listIn(line["phases"]);
  const begun = phases.filter(({ runIds }) => listIn(runIds).length > 0);
  return {
    ...{ landedCount: Number(line["landedCount"]), phaseCount: Number(line["phaseCount"]) },
    standings: byPhase(phases, "phaseId", "status"),
    ...{ knownUsd: cents(line["knownUsd"]), unknownUsd: cents(line["unknownUsd"]) },
    costs: Object.fromEntries(begun.map(({ phaseId, knownUsd }) => [phaseId, cents(knownUsd)])),
    attemptCount: phases.reduce((sum, { runIds }) => sum + listIn(runIds).length, 0),
  };
}

function inFacts(nebula: Facts): NebulaFigures {
  const money = factsIn(nebula["money"]);
  const { crashCount, resumeCount } = factsIn(nebula["recovery"]);
  const phases = listIn(nebula["phases"]);
  const runs = phases.flatMap((phase) => listIn(phase["runs"]));
  return {
    ...{ status: String(nebula["status"]), ...moneyIn(money), costs: costsIn(money["byPhase"]) },
    ...{ landedCount: Number(nebula["landedCount"]), phaseCount: Number(nebula["phaseCount"]) },
    needs: byPhase(listIn(nebula["needs"]), "phase", "kind"),
    standings: byPhase(phases, "id", "status"),
    landings: listIn(nebula["landings"]).map(({ phase }) => String(phase)),
    attemptCount: phases.reduce((sum, { attempts }) => sum + listIn(attempts).length, 0),
    turnCount: runs.reduce((sum, { turns }) => sum + listIn(turns).length, 0),
    ...findingCounts(runs.flatMap(({ findings }) => listIn(findings))),
    ...{ crashCount: Number(crashCount), resumeCount: Number(resumeCount) },
  };
}

/** Its first line, and its tables. */
function inMarkdown(text: string): Partial<NebulaFigures> {
  const [status = "", landed, count, where = ""] = found(
    text,
    /^\*\*(\w+)\*\* · (\d+) of (\d+) phases? landed on `[^`]*` · (.*)$/mu,
  );
  const [turns = ""] = found(where, /(no|\d+) turns?\b/u);
  const phases = tableOf(text, "Cost").filter(([name = ""]) => name.startsWith("`"));
  const findings = tableOf(text, "Findings");
  const fixedCount = findings.filter((row) => row.at(-1) === "fixed").length;
  const reserved = new RegExp(`${USD} more is set apart for phases at work`, "u").exec(text);
  return {
    ...{ status: status.toLowerCase(), ...spentIn(where), turnCount: numberIn(turns) },
    ...{ landedCount: Number(landed), phaseCount: Number(count) },
    reservedUsd: cents(reserved?.[1] ?? 0),
    costs: Object.fromEntries(phases.map(([id = "", known = ""]) => [plain(id), usd(known)])),
    landings: tableOf(text, "Landings").map(([, phase = ""]) => plain(phase)),
    ...{ openCount: findings.length - fixedCount, fixedCount },
    crashCount: numberIn(/(\d+) crash/u.exec(where)?.[1] ?? ""),
    resumeCount: Math.max(0, tableOf(text, "Crashes and resumes").length - 1),
  };
}

function plain(code: string): string {
  return code.replaceAll("`", "");
}

function usd(words: string): number {
  return cents(words.replace("$", ""));
}

/** The first line of the cockpit. */
function inFirstLine(screen: string): Partial<NebulaFigures> {
  const [first = ""] = screen.split("\n");
  const [landed, count] = found(first, /(\d+)\/(\d+) landed/u);
  return {
    status: first.trimEnd().split(" ").at(-1) ?? "",
    ...{ landedCount: Number(landed), phaseCount: Number(count) },
  };
}

function inCostPanel(screen: string): Partial<NebulaFigures> {
  const [spent = ""] = found(screen, /^ (\$.*)$/mu);
  const reserved = new RegExp(`^ ${USD} reserved for phases`, "mu").exec(screen);
  const rows = [...screen.matchAll(/^ (\S+) +(\$.*) {2}(no|\d+) turns?/gmu)].filter(
    ([, name = ""]) => !["coder", "reviewer"].includes(name),
  );
  return {
    ...{ ...spentIn(spent), reservedUsd: cents(reserved?.[1] ?? 0) },
    costs: Object.fromEntries(
      rows.map(([, name = "", known = ""]) => [name, usd(known.split(" ")[0] ?? "")]),
    ),
    turnCount: rows.reduce((sum, [, , , count = ""]) => sum + numberIn(count), 0),
  };
}

/** The lane has the newest first. */
function landingsIn(screen: string): readonly string[] {
  return [...screen.matchAll(/^ \d+ +(\S+) +[0-9a-f]{10} /gmu)]
    .map(([, phase = ""]) => phase)
    .toReversed();
}
