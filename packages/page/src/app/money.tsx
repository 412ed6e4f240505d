import type { ShareFacts } from "@quasar/runs/facts";
import { budget, count, money } from "@quasar/runs/text";
import { openTurnWords } from "@quasar/runs/words";
import type { ReportData } from "../report-data.ts";

interface Group {
  readonly name: string;
  readonly shares: readonly ShareFacts[];
}

/** What was spent, and on what. Amounts that are only reserved stand apart. */
export function Money({ data }: { readonly data: ReportData }) {
  const facts = data.kind === "run" ? data.run.money : data.nebula.money;
  const groups: readonly Group[] = [
    { name: "Phase", shares: data.kind === "nebula" ? data.nebula.money.byPhase : [] },
    { name: "Role", shares: facts.byRole },
    { name: "Cycle", shares: data.kind === "run" ? facts.byCycle : [] },
  ].filter(({ shares }) => shares.length > 0);
  const most = Math.max(0, ...groups.flatMap(({ shares }) => shares.map(total)));
  return (
    <>
      <p class="lead">
        {budget(facts, facts.maxUsd)}
        {data.kind === "run" && openTurnWords(facts.reservedUsd)}
        {data.kind === "nebula" &&
          facts.reservedUsd > 0 &&
          `, ${money(facts.reservedUsd)} reserved for phases that are worked on`}
      </p>
      <div class="tables">
        {groups.map(({ name, shares }) => (
          <table key={name} class="money">
            <thead>
              <tr>
                <th scope="col">{name}</th>
                <th scope="col" class="amount">
                  Cost
                </th>
                <td />
              </tr>
            </thead>
            <tbody>
              {shares.map((share) => (
                <Share key={share.name} {...{ share, most }} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </>
  );
}

function total({ knownUsd, unknownUsd }: ShareFacts): number {
  return knownUsd + unknownUsd;
}

function Share({ share, most }: { readonly share: ShareFacts; readonly most: number }) {
  const { name, knownUsd, unknownUsd, turnCount } = share;
  const part = (usd: number): string => `${most === 0 ? 0 : ((usd / most) * 100).toFixed(2)}%`;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td class="amount">
        {money(knownUsd)}
        {unknownUsd > 0 && <span class="note"> up to {money(unknownUsd)} more</span>}
      </td>
      <td class="share">
        <svg width="100%" height="10" aria-hidden="true">
          <rect class="known" height="10" width={part(knownUsd)} />
          <rect class="unknown" height="10" x={part(knownUsd)} width={part(unknownUsd)} />
          <rect class="hatch" height="10" x={part(knownUsd)} width={part(unknownUsd)} />
        </svg>
        <span class="note">{count(turnCount, "turn")}</span>
      </td>
    </tr>
  );
}
