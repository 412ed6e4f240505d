import { useEffect, useState } from "preact/hooks";
import type { Assembled } from "../../live/assemble.ts";
import type { Decision, DecisionNote } from "../../live/protocol.ts";
import { titleOf } from "../../view/title.ts";
import { Report } from "../report.tsx";
import { Bar } from "./bar.tsx";
import { DecisionDialog } from "./decision-dialog.tsx";
import { follow, type Link } from "./follow.ts";
import { Needs } from "./needs.tsx";
import type { Server } from "./server.ts";

/** The report as it is now, with what a person can decide. */
export function Live({ server }: { readonly server: Server }) {
  const [assembled, onFacts] = useState<Assembled>();
  const [link, onLink] = useState<Link>("connecting");
  const [problem, onProblem] = useState("");
  const [asked, setAsked] = useState<Decision>();
  const [note, setNote] = useState<DecisionNote>();

  useEffect(() => {
    void follow(server, { onFacts, onLink, onProblem });
  }, [server]);
  useEffect(() => {
    if (assembled !== undefined) document.title = tabTitle(assembled);
  }, [assembled]);

  const ask = (decision: Decision): void => {
    setNote(undefined);
    setAsked(decision);
  };
  const offered = assembled?.decisions ?? NOTHING;
  const decisions = link === "live" ? offered : NOTHING;
  const bar = (
    <Bar {...{ link, problem, note, decisions, ask, hasFacts: assembled !== undefined }} />
  );
  if (assembled === undefined) return <div class="page">{bar}</div>;
  const { data } = assembled.embedded;
  return (
    <>
      <Report
        embedded={assembled.embedded}
        source={server}
        above={bar}
        needs={data.kind === "nebula" && <Needs nebula={data.nebula} {...{ decisions, ask }} />}
      />
      {asked !== undefined && (
        <DecisionDialog
          {...{ asked, data, server }}
          isOffered={offered.some((each) => isSame(each, asked))}
          onDecided={(decided) => {
            setNote(decided);
            setAsked(undefined);
          }}
          onLeft={() => setAsked(undefined)}
        />
      )}
    </>
  );
}

/** Without a server nothing is decided. */
const NOTHING: readonly Decision[] = [];

/** What a tab says of it: whether a person is needed comes first. */
function tabTitle({ embedded: { data } }: Assembled): string {
  const count = data.kind === "nebula" ? data.nebula.needs.length : 0;
  return count === 0 ? titleOf(data) : `! ${count} · ${titleOf(data)}`;
}

function isSame(one: Decision, other: Decision): boolean {
  return (["verb", "phase", "attempt", "digest", "questionId"] as const).every((key) => {
    return one[key] === other[key];
  });
}
