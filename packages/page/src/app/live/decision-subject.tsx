import type { NebulaFacts } from "@quasar/nebula/facts";
import { count } from "@quasar/runs/text";
import { useEffect } from "preact/hooks";
import type { ReportData } from "../../report-data.ts";
import type { Decision } from "../../live/protocol.ts";
import { WholeDiff } from "../changes.tsx";
import { LongText } from "../long-text.tsx";
import { short } from "../short.ts";
import { useRead } from "../use-read.ts";
import type { Server } from "./server.ts";

interface SubjectProps {
  readonly asked: Decision;
  readonly data: ReportData;
  readonly server: Server;
  /** Called with whether all that is decided about is shown. */
  readonly onSeen: (isSeen: boolean) => void;
  /** Called where one of an agent's own answers is chosen. */
  readonly onChosen: (text: string) => void;
}

/** What a decision is about. */
export function DecisionSubject(props: SubjectProps) {
  const { asked, data } = props;
  const { verb, phase } = asked;
  const isVerdict = verb === "approve" || verb === "reject";
  if (isVerdict && phase !== "") return <ChangeSubject {...props} />;
  if (data.kind === "run") return null;
  if (verb === "answer") return <QuestionSubject {...props} nebula={data.nebula} />;
  return <WholeSubject {...props} nebula={data.nebula} isPlan={isVerdict} />;
}

interface OfNebula extends SubjectProps {
  readonly nebula: NebulaFacts;
}

function ChangeSubject({ asked, server, onSeen }: SubjectProps) {
  const read = useRead(`${asked.phase} ${asked.digest}`, () => server.readChange(asked));
  const change = read?.value;
  const isShown = change !== undefined && "sha" in change;
  useEffect(() => onSeen(isShown), [isShown]);
  if (change === undefined) return <p class="note">Reading its change …</p>;
  if (!("sha" in change)) return <p class="bad">{change.text}</p>;
  return (
    <>
      <p class="note">
        change <code title={asked.digest}>{asked.digest.slice(0, 12)}</code>, attempt{" "}
        {asked.attempt}
      </p>
      <div class="subject">
        {change.text === "" ? <p class="note">It changes nothing.</p> : <WholeDiff diff={change} />}
      </div>
    </>
  );
}

function QuestionSubject({ asked, nebula, onSeen, onChosen }: OfNebula) {
  const question = nebula.openQuestions.find(({ id }) => id === asked.questionId);
  const isShown = question !== undefined;
  useEffect(() => onSeen(isShown), [isShown]);
  if (question === undefined) return null;
  const { phase, role, kind, summary, detail, options } = question;
  return (
    <div class="subject">
      <p class="note">
        {role} of {phase}, {kind}
      </p>
      <LongText text={summary} class="prose" />
      {detail !== "" && <LongText text={detail} class="prose" />}
      {options.length > 0 && (
        <div class="options" role="group" aria-label="Answers that the agent names">
          {options.map((option) => (
            <button key={option} type="button" onClick={() => onChosen(option)}>
              {short(option)}
            </button>
          ))}
        </div>
      )}
    </div>
  );
}

/** The plan, or what a pause holds up. */
function WholeSubject({ nebula, isPlan, onSeen }: OfNebula & { readonly isPlan: boolean }) {
  useEffect(() => onSeen(true), []);
  const working = nebula.phases.filter(({ isWorkedOn }) => isWorkedOn).length;
  if (!isPlan) return <p class="note">{count(working, "phase")} at work now.</p>;
  return (
    <ul class="subject">
      {nebula.phases.map(({ id, title, dependsOn }) => (
        <li key={id}>
          <span class="name">{id}</span> {short(title)}
          {dependsOn.length > 0 && <span class="note"> after {dependsOn.join(", ")}</span>}
        </li>
      ))}
    </ul>
  );
}
