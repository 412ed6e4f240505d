import { useEffect, useRef, useState } from "preact/hooks";
import type { ReportData } from "../../report-data.ts";
import type { Decision, DecisionNote } from "../../live/protocol.ts";
import { DecisionSubject } from "./decision-subject.tsx";
import type { Server } from "./server.ts";
import { effectOf, typedWith, VERB_WORDS } from "./words.ts";

interface DecisionDialogProps {
  readonly asked: Decision;
  readonly data: ReportData;
  readonly server: Server;
  /** Whether this can still be decided. */
  readonly isOffered: boolean;
  readonly onDecided: (note: DecisionNote) => void;
  readonly onLeft: () => void;
}

/** Shows what a decision is about, and makes it once a person confirms. */
export function DecisionDialog(props: DecisionDialogProps) {
  const { asked, data, server, isOffered, onDecided, onLeft } = props;
  const dialog = useRef<HTMLDialogElement>(null);
  const [text, setText] = useState("");
  const [isSeen, setSeen] = useState(false);
  const [isSending, setSending] = useState(false);
  const [note, setNote] = useState<DecisionNote>();
  useEffect(() => dialog.current?.showModal(), []);

  async function send(): Promise<void> {
    setSending(true);
    const said = await server.decide({ ...asked, text }).catch(() => NOT_HEARD);
    setSending(false);
    if (said.isBad) setNote(said);
    else onDecided(said);
  }

  const { verb, phase } = asked;
  const typed = typedWith(verb);
  const isOver = !isOffered && !isSending && note === undefined;
  // The plan may be rejected without a word.
  const isTyped = typed === undefined || text.trim() !== "" || (verb === "reject" && phase === "");
  const about = phase === "" ? (verb === "approve" || verb === "reject" ? "the plan" : "") : phase;
  return (
    <dialog ref={dialog} class="decision" aria-labelledby="decision-title" onClose={onLeft}>
      <h2 id="decision-title">
        {VERB_WORDS[verb]} {about}
      </h2>
      <p>{effectOf(verb, phase)}</p>
      <DecisionSubject {...{ asked, data, server }} onSeen={setSeen} onChosen={setText} />
      {typed !== undefined && (
        <label>
          {typed}
          <textarea
            rows={3}
            maxLength={4000}
            value={text}
            onInput={({ currentTarget }) => setText(currentTarget.value)}
          />
        </label>
      )}
      <p role="alert" class="bad">
        {isOver ? "This is not asked any more. Cancel, and see what is." : note?.text}
      </p>
      <div class="actions">
        <button
          type="button"
          class="confirm"
          disabled={!isSeen || !isTyped || isSending || !isOffered}
          onClick={() => void send()}
        >
          {VERB_WORDS[verb]}
        </button>
        <button type="button" onClick={() => dialog.current?.close()}>
          Cancel
        </button>
      </div>
    </dialog>
  );
}

const NOT_HEARD: DecisionNote = {
  text: "The server does not answer. Once it does, this page shows whether that was decided.",
  isBad: true,
};
