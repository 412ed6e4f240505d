import { openWorkspace } from "@quasar/runs/internal";
import { openRunSource } from "../../src/cockpit/live/run-source.ts";
import type { Place } from "../harness.ts";
import type { Connected } from "../mcp-client.ts";
import {
  cents,
  countsIn,
  type Facts,
  factsIn,
  findingCounts,
  found,
  lineOf,
  listIn,
  markdownOf,
  type MoneyFigures,
  moneyIn,
  mostOf,
  numberIn,
  pageOf,
  screenOf,
  spentIn,
  tableOf,
  USD,
} from "./read.ts";

/** What readers say of a run in numbers. */
export interface RunFigures extends MoneyFigures {
  readonly status: string;
  readonly cycle: number;
  readonly maxCycles: number;
  /** What the last reviewer said; `undefined`: nothing. */
  readonly isApproved: boolean | undefined;
  readonly turnCount: number;
  readonly commitCount: number;
  /** Findings that are not fixed, and those that are. */
  readonly openCount: number;
  readonly fixedCount: number;
  readonly crashCount: number;
  readonly resumeCount: number;
}

/** Reads what one reader shows. */
export type RunReader = (at: Place, id: string, server: Connected) => Promise<Partial<RunFigures>>;

/** All that show a run, by what a person calls them. */
export const RUN_READERS: Readonly<Record<string, RunReader>> = {
  "quasar status --json": async (at, id) => {
    const [run = {}] = listIn((await lineOf(at, "status", id))["runs"]);
    return {
      ...{ status: String(run["status"]), openCount: listIn(run["findings"]).length },
      ...{ cycle: Number(run["cycle"]), maxCycles: Number(run["maxCycles"]) },
      ...moneyIn({ ...run, reservedUsd: mostOf(factsIn(run["openTurn"])) }),
    };
  },
  "quasar cost --json": async (at, id) => {
    const cost = await lineOf(at, "cost", id);
    const openTurns = cost["openTurn"] === undefined ? 0 : 1;
    return {
      ...moneyIn({ ...cost, reservedUsd: mostOf(factsIn(cost["openTurn"])) }),
      turnCount: listIn(cost["turns"]).length + openTurns,
    };
  },
  "quasar report --json": async (at, id) => {
    const report = await lineOf(at, "report", id);
    const verdict = { isApproved: report["approved"] };
    return {
      ...{ status: String(report["status"]), isApproved: isApprovedIn({ verdict }) },
      ...{ cycle: Number(report["cycle"]), maxCycles: Number(report["maxCycles"]) },
      ...moneyIn(report),
      turnCount: listIn(report["turns"]).length,
      commitCount: listIn(report["cycleCommits"]).length,
      ...findingCounts(report["findings"]),
      crashCount: Number(report["crashCount"]),
      resumeCount: Number(report["resumeCount"]),
    };
  },
  "quasar report": async (at, id) => inMarkdown(await markdownOf(at, id)),
  "quasar report --html": async (at, id) => inFacts(factsIn((await pageOf(at, id))["run"])),
  "the cockpit": async (at, id) => {
    const facts = await openRunSource(await openWorkspace(at.repo), id).read();
    if (facts === undefined) throw new Error("there is nothing to show");
    return {
      ...inFirstLine(screenOf(facts)),
      ...inCostPanel(screenOf(facts, { focus: "cost", isZoomed: true })),
      ...countsIn(screenOf(facts, { focus: "findings", isZoomed: true })),
    };
  },
  "the tools of MCP": async (_at, id, { call }) => {
    const { facts: status } = await call("run_status", { id });
    const money = factsIn((await call("run_cost", { id })).facts["money"]);
    const { facts: judged } = await call("run_findings", { id });
    return {
      ...{ status: String(status["status"]), isApproved: isApprovedIn(status) },
      ...{ cycle: Number(status["cycle"]), maxCycles: Number(status["maxCycles"]) },
      ...{ ...moneyIn(money), turnCount: turnsIn(money) },
      ...findingCounts(judged["findings"]),
    };
  },
};

function inFacts(run: Facts): RunFigures {
  const { crashCount, resumeCount } = factsIn(run["recovery"]);
  return {
    ...{ status: String(run["status"]), isApproved: isApprovedIn(run) },
    ...{ cycle: Number(run["cycle"]), maxCycles: Number(run["maxCycles"]) },
    ...{ ...moneyIn(factsIn(run["money"])), ...findingCounts(run["findings"]) },
    turnCount: listIn(run["turns"]).length,
    commitCount: listIn(run["commits"]).length,
    ...{ crashCount: Number(crashCount), resumeCount: Number(resumeCount) },
  };
}

function isApprovedIn(run: Facts): boolean | undefined {
  const { isApproved } = factsIn(run["verdict"]);
  return isApproved === undefined ? undefined : isApproved === true;
}

/** The turns of all roles. */
function turnsIn(money: Facts): number {
  return listIn(money["byRole"]).reduce((sum, { turnCount }) => sum + Number(turnCount), 0);
}

/** Its first line, and its tables. */
function inMarkdown(text: string): Partial<RunFigures> {
  const [where = ""] = found(text, /^\*\*[^*]+\*\* (.*)$/mu);
  const [cycle = ""] = found(where, /(?:after|in cycle) (\d+)/u);
  const [turns = ""] = found(where, /(no|\d+) turns?\b/u);
  const [, said] = /^The reviewer: (not )?approved/mu.exec(text) ?? [undefined, undefined];
  const findings = tableOf(text, "Findings");
  const fixedCount = findings.filter((row) => /fixed(?: \(\d+\))?$/u.test(row.at(-1) ?? "")).length;
  const open = new RegExp(`and up to ${USD} for the turn whose end is not known`, "u").exec(where);
  return {
    isApproved: text.includes("\nThe reviewer: ") ? said === undefined : undefined,
    ...{ cycle: Number(cycle), ...spentIn(where) },
    reservedUsd: cents(open?.[1] ?? 0),
    turnCount: numberIn(turns),
    commitCount: tableOf(text, "Commits").length,
    ...{ openCount: findings.length - fixedCount, fixedCount },
    crashCount: numberIn(/(\d+) crash/u.exec(where)?.[1] ?? ""),
    resumeCount: Math.max(0, tableOf(text, "Crashes and resumes").length - 1),
  };
}

/** The first line of the cockpit. */
function inFirstLine(screen: string): Partial<RunFigures> {
  const [first = ""] = screen.split("\n");
  const [cycle, maxCycles] = found(first, /cycle (\d+) of (\d+)/u);
  const status = first.trimEnd().split(" ").at(-1) ?? "";
  return { status, cycle: Number(cycle), maxCycles: Number(maxCycles) };
}

function inCostPanel(screen: string): Partial<RunFigures> {
  const turns = [...screen.matchAll(/^ (?:coder|reviewer) +\$.* {2}(\d+) turns?/gmu)];
  const [spent = ""] = found(screen, /^ (\$.*)$/mu);
  const open = new RegExp(`^ ${USD} reserved for the turn`, "mu").exec(screen);
  return {
    ...{ ...spentIn(spent), reservedUsd: cents(open?.[1] ?? 0) },
    turnCount: turns.reduce((sum, [, count]) => sum + Number(count), 0),
  };
}
