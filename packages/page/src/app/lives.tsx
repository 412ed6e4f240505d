import type { LifeFacts } from "@quasar/runs/facts";
import { duration } from "@quasar/runs/text";
import { outcomeText, RECOVERIES, shortId } from "@quasar/runs/words";
import { lifeMs } from "../view/crashes.ts";
import { Badge } from "./badge.tsx";
import { Moment } from "./moment.tsx";
import { short } from "./short.ts";

/** Each command that worked on it, and what it found of the one before. */
export function Lives({ lives }: { readonly lives: readonly LifeFacts[] }) {
  return (
    <ol class="lives">
      {lives.map((life, n) => (
        <li key={`${n} ${life.startedAt}`}>
          <Life life={life} />
        </li>
      ))}
    </ol>
  );
}

function Life({ life }: { readonly life: LifeFacts }) {
  const { startedAt, end, message, recovered } = life;
  const ms = lifeMs(life);
  const isKilled = end === "killed";
  return (
    <>
      <p>
        <Moment at={startedAt} />{" "}
        <Badge tone={isKilled ? "bad" : "quiet"} word={short(outcomeText(end))} />{" "}
        {ms !== undefined && <span class="note">after {duration(ms)}</span>}
      </p>
      {recovered !== undefined && (
        <p class="note">
          turn {shortId(recovered.turnId)} {RECOVERIES[recovered.how]}
        </p>
      )}
      {message !== "" && <p class="note">{short(message)}</p>}
    </>
  );
}
