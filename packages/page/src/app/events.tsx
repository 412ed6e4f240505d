import type { ReportData } from "../report-data.ts";
import { LongList } from "./long-list.tsx";
import { Moment } from "./moment.tsx";
import { short } from "./short.ts";

/** What happened, line by line. */
export function Events({ data }: { readonly data: ReportData }) {
  const events =
    data.kind === "nebula"
      ? data.nebula.events
      : data.run.events.map((event) => ({ ...event, phase: "" }));
  if (events.length === 0) return <p class="none">Nothing is recorded.</p>;
  return (
    <LongList items={events} page={200} noun="events">
      {(shown) => (
        <ul class="events">
          {shown.map(({ at, phase, text }, n) => (
            <li key={n}>
              <Moment at={at} isShort /> {phase !== "" && <span class="name">{phase}</span>}{" "}
              <span class="what">{short(text)}</span>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
