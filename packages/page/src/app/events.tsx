import type { ReportData } from "../report-data.ts";
import { LongList } from "./long-list.tsx";
import { Moment } from "./moment.tsx";
import { short } from "./short.ts";

interface EventsProps {
  readonly data: ReportData;
  readonly isNewestFirst: boolean;
}

/** What happened, line by line. */
export function Events({ data, isNewestFirst }: EventsProps) {
  const told =
    data.kind === "nebula"
      ? data.nebula.events
      : data.run.events.map((event) => ({ ...event, phase: "" }));
  const numbered = told.map((event, number) => ({ ...event, number }));
  const events = isNewestFirst ? numbered.toReversed() : numbered;
  if (events.length === 0) return <p class="none">Nothing is recorded.</p>;
  return (
    <LongList items={events} page={200} noun="events">
      {(shown) => (
        <ul class="events">
          {shown.map(({ at, phase, text, number }) => (
            <li key={number}>
              <Moment at={at} isShort /> {phase !== "" && <span class="name">{phase}</span>}{" "}
              <span class="what">{short(text)}</span>
            </li>
          ))}
        </ul>
      )}
    </LongList>
  );
}
