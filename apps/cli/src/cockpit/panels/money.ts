import type { ShareFacts } from "@quasar/runs/facts";
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
    ...(facts.maxUsd > 0 ? [barLine(facts.spentUsd / facts.maxUsd, columns)] : []),
    line(budget(facts, facts.maxUsd)),
    ...(shown.kind === "nebula" ? reservedLines(shown.nebula.money.reservedUsd) : []),
    ...shares.map(shareLine),
  ]);
}

function reservedLines(usd: number): readonly Line[] {
  return usd < 0.005 ? [] : [line(`${money(usd)} reserved for phases at work`)];
}

function barLine(share: number, columns: number): Line {
  const room = Math.max(1, columns - 6);
  const full = Math.min(room, Math.round(share * room));
  const style = share >= 0.9 ? "red" : undefined;
  return [
    span("#".repeat(full), style),
    span("-".repeat(room - full), "dim"),
    cellRight(`${Math.round(share * 100)} %`, 6, style),
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
