import type { MoneyFacts, ShareFacts } from "@quasar/runs/facts";
import { budget, costWords, count, money } from "@quasar/runs/text";
import { cell, cellRight, type Line, line, span } from "../model/line.ts";
import type { Shown } from "../model/shown.ts";
import { type Body, bodyOf } from "./body.ts";

/** What was spent, and by whom. */
export function moneyBody(shown: Shown, columns: number): Body {
  const facts = shown.kind === "run" ? shown.run.money : shown.nebula.money;
  const shares =
    shown.kind === "run"
      ? [...facts.byRole, ...facts.byCycle]
      : [...shown.nebula.money.byPhase, ...facts.byRole];
  return bodyOf([
    ...(facts.maxUsd > 0 ? [barLine(facts, columns)] : []),
    line(budget(facts, facts.maxUsd)),
    ...reservedLines(facts.reservedUsd, RESERVED[shown.kind]),
    ...shares.map(shareLine),
  ]);
}

/** What an amount is set apart for. */
const RESERVED = {
  run: "the turn whose end is not known",
  nebula: "phases at work",
} as const satisfies Record<Shown["kind"], string>;

function reservedLines(usd: number, what: string): readonly Line[] {
  return usd < 0.005 ? [] : [line(`${money(usd)} reserved for ${what}`)];
}

/** What is known to have been spent, what may have been, and the rest of the limit. */
function barLine({ knownUsd, spentUsd, maxUsd }: MoneyFacts, columns: number): Line {
  const room = Math.max(1, columns - 6);
  const cells = (usd: number): number => Math.min(room, Math.round((usd / maxUsd) * room));
  const [known, most] = [cells(knownUsd), cells(spentUsd)];
  const style = spentUsd >= 0.9 * maxUsd ? "red" : undefined;
  return [
    span("#".repeat(known), style),
    span("=".repeat(Math.max(0, most - known)), "yellow"),
    span("-".repeat(room - Math.max(known, most)), "dim"),
    cellRight(`${Math.round((knownUsd / maxUsd) * 100)} %`, 6, style),
  ];
}

function shareLine({ name, knownUsd, unknownUsd, turnCount }: ShareFacts): Line {
  const spentUsd = knownUsd + unknownUsd;
  return [
    cell(name, 16),
    span(` ${costWords({ spentUsd, unknownUsd })}`),
    span(`  ${count(turnCount, "turn")}`, "dim"),
  ];
}
