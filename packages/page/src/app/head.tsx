import type { Embedded } from "../embedded.ts";
import { titleOf } from "../view/title.ts";
import { verdictOf } from "../view/verdict.ts";
import { Badge } from "./badge.tsx";
import { Fold } from "./fold.tsx";
import { LongText } from "./long-text.tsx";
import { Moment, TIME_ZONE } from "./moment.tsx";
import { short } from "./short.ts";

/** What it is about, and how it went. */
export function Head({ embedded: { data } }: { readonly embedded: Embedded }) {
  const { tone, headline, facts, reason, summary } = verdictOf(data);
  const [title, task] = [titleOf(data), data.kind === "run" ? data.run.task.trim() : ""];
  return (
    <header>
      <p class="kicker">
        {data.kind === "run" ? `run ${data.run.id}` : `nebula ${data.nebula.id}`}
      </p>
      <h1>{title}</h1>
      <p class={`verdict ${tone}`}>
        <Badge tone={tone} word={headline} />
        {facts.map((fact) => (
          <span key={fact} class="fact">
            {fact}
          </span>
        ))}
      </p>
      {reason !== "" && <p class="reason">{short(reason)}</p>}
      {summary !== "" && <LongText text={summary} class="prose" />}
      {task !== "" && task !== title && (
        <Fold class="task" summary="The whole task">
          {() => <LongText text={task} class="prose" />}
        </Fold>
      )}
      <About data={data} />
    </header>
  );
}

function About({ data }: Pick<Embedded, "data">) {
  const facts = data.kind === "run" ? data.run : data.nebula;
  const rows: readonly (readonly [string, string])[] =
    data.kind === "run"
      ? [
          ["coder", data.run.coder],
          ["reviewer", data.run.reviewer],
          ["began at commit", data.run.baseSha.slice(0, 10)],
          ["saved at commit", data.run.headSha.slice(0, 10)],
        ]
      : [
          ["branch", data.nebula.branch],
          ["began at commit", data.nebula.baseSha.slice(0, 10)],
          ["branch's commit", data.nebula.tipSha.slice(0, 10)],
        ];
  return (
    <dl class="about">
      {rows.flatMap(([name, value]) =>
        value === ""
          ? []
          : [
              <div key={name}>
                <dt>{name}</dt>
                <dd>{value}</dd>
              </div>,
            ],
      )}
      {facts.startedAt !== "" && (
        <div>
          <dt>began, and last record</dt>
          <dd>
            <Moment at={facts.startedAt} /> – <Moment at={facts.lastAt} />{" "}
            <span class="note">{TIME_ZONE}</span>
          </dd>
        </div>
      )}
    </dl>
  );
}
