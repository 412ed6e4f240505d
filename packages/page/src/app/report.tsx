import type { ComponentChildren } from "preact";
import type { Embedded } from "../embedded.ts";
import { changesOf } from "../view/changes.ts";
import { crashesOf } from "../view/crashes.ts";
import { findingsOf } from "../view/findings.ts";
import { commandsOf } from "../view/reproduce.ts";
import { runsOf } from "../view/runs.ts";
import { timelineOf } from "../view/timeline.ts";
import { Changes } from "./changes.tsx";
import { Cycles } from "./cycles.tsx";
import { Events } from "./events.tsx";
import { Findings } from "./findings.tsx";
import { Head } from "./head.tsx";
import { Landings } from "./landings.tsx";
import { Lives } from "./lives.tsx";
import { Money } from "./money.tsx";
import { Phases } from "./phases.tsx";
import { Section } from "./section.tsx";
import { TimelineChart } from "./timeline.tsx";
import { Turns } from "./turns.tsx";
import { short } from "./short.ts";
import type { Source } from "./source.ts";

interface Part {
  readonly id: string;
  readonly title: string;
  readonly lead?: string | undefined;
  readonly content: ComponentChildren;
}

interface ReportProps {
  readonly embedded: Embedded;
  readonly source: Source;
  /** What stands above it. @default nothing */
  readonly above?: ComponentChildren;
  /** What stands in place of what needs a person. @default the same in words */
  readonly needs?: ComponentChildren;
}

/** The page, from what the reader wants to know first to what only an examiner reads. */
export function Report({ embedded, source, above, needs }: ReportProps) {
  const parts = partsOf(embedded, source, needs);
  return (
    <div class="page">
      {above}
      <Head embedded={embedded} />
      <nav aria-label="Sections">
        <ul>
          {parts.map(({ id, title }) => (
            <li key={id}>
              <a href={`#${id}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <main>
        {parts.map(({ content, ...part }) => (
          <Section key={part.id} {...part}>
            {content}
          </Section>
        ))}
      </main>
      <footer>
        redaction set <code>{embedded.redactionDigest}</code>
      </footer>
    </div>
  );
}

function partsOf(embedded: Embedded, source: Source, needs: ComponentChildren): readonly Part[] {
  const { data } = embedded;
  const nebula = data.kind === "nebula" ? data.nebula : undefined;
  const runs = runsOf(data);
  const timeline = timelineOf(data);
  const crashes = crashesOf(data);
  const all = [...(nebula?.problems ?? []), ...runs.flatMap(({ run }) => run.problems)];
  const problems = [...new Set(all)];
  const parts: readonly (Part | undefined)[] = [
    nebula && {
      id: "needs",
      title: "Needs you",
      content:
        nebula.needs.length === 0
          ? undefined
          : (needs ?? <Texts texts={nebula.needs.map(needWords)} />),
    },
    {
      id: "problems",
      title: "Problems",
      content: problems.length === 0 ? undefined : <Texts texts={problems} />,
    },
    {
      id: "timeline",
      title: "Timeline",
      content: timeline && <TimelineChart timeline={timeline} />,
    },
    nebula && { id: "phases", title: "Phases", content: <Phases nebula={nebula} /> },
    { id: "money", title: "Money", content: <Money data={data} /> },
    {
      id: "changes",
      title: "What changed",
      content: <Changes changes={changesOf(data)} source={source} />,
    },
    { id: "findings", title: "Findings", content: <Findings findings={findingsOf(data)} /> },
    { id: "cycles", title: "Cycles and checks", content: <Cycles runs={runs} /> },
    nebula && {
      id: "landings",
      title: "Landings",
      content: <Landings landings={nebula.landings} />,
    },
    {
      id: "crashes",
      title: "Crashes and resumes",
      lead: crashes.headline,
      content: <Lives lives={crashes.lives} />,
    },
    {
      id: "turns",
      title: "Turns and transcripts",
      content: <Turns {...{ embedded, source }} />,
    },
    { id: "reproduce", title: "How to reproduce", content: <Commands data={data} /> },
    {
      id: "events",
      title: "Events",
      content: <Events data={data} isNewestFirst={source.isLive} />,
    },
  ];
  return parts.filter((part) => part !== undefined).filter(({ content }) => content !== undefined);
}

function needWords({ phase, text }: { readonly phase: string; readonly text: string }): string {
  return phase === "" ? text : `${phase}: ${text}`;
}

function Texts({ texts }: { readonly texts: readonly string[] }) {
  return (
    <ul class="texts">
      {texts.map((text) => (
        <li key={text}>{short(text)}</li>
      ))}
    </ul>
  );
}

function Commands({ data }: Pick<Embedded, "data">) {
  return (
    <dl class="commands">
      {commandsOf(data).map(({ line, does }) => (
        <div key={line}>
          <dt>{does}</dt>
          <dd>
            <code>{short(line)}</code>
          </dd>
        </div>
      ))}
    </dl>
  );
}
