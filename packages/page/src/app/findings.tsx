import { FINDING_STATUSES } from "@quasar/runs/words";
import { type FindingOf, lifeWords } from "../view/findings.ts";
import type { Tone } from "../view/verdict.ts";
import { Badge } from "./badge.tsx";
import { LongList } from "./long-list.tsx";
import { LongText } from "./long-text.tsx";
import { short } from "./short.ts";

const TONES: Readonly<Record<FindingOf["status"], Tone>> = {
  found: "wait",
  fixed: "good",
  still_present: "bad",
  regressed: "bad",
};

/** What reviewers found, and what became of it. */
export function Findings({ findings }: { readonly findings: readonly FindingOf[] }) {
  if (findings.length === 0) return <p class="none">The reviewer found nothing.</p>;
  return (
    <LongList items={findings} page={100} noun="findings">
      {(shown) => (
        <ul class="findings">
          {shown.map((finding) => (
            <li key={`${finding.runId} ${finding.id}`}>
              <p class="finding-head">
                <Badge tone={TONES[finding.status]} word={FINDING_STATUSES[finding.status]} />
                <strong class="severity">{short(finding.severity)}</strong>
                {finding.phase !== "" && <span class="name">{finding.phase}</span>}
                <code class="note">{finding.id}</code>
              </p>
              <LongText text={finding.description} class="prose" />
              <ol class="life">
                {lifeWords(finding).map((words) => (
                  <li key={words}>{words}</li>
                ))}
              </ol>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
