import type { TranscriptFacts } from "@quasar/runs/facts";
import { size } from "@quasar/runs/text";
import { shortId } from "@quasar/runs/words";
import type { Embedded } from "../embedded.ts";
import { omittedWords, saidIn } from "../transcript-text.ts";
import { type TurnOf, turnsOf } from "../view/runs.ts";
import { turnWords } from "../view/turn-words.ts";
import { Fold } from "./fold.tsx";
import { LongList } from "./long-list.tsx";
import { LongText } from "./long-text.tsx";
import { Moment } from "./moment.tsx";
import { short } from "./short.ts";
import type { Source } from "./source.ts";
import { useRead } from "./use-read.ts";

interface TurnsProps {
  readonly embedded: Embedded;
  readonly source: Source;
}

/** What agents said and did, turn by turn. */
export function Turns({ embedded: { data, besides }, source }: TurnsProps) {
  const turns = turnsOf(data);
  if (turns.length === 0) return <p class="none">No turn has begun.</p>;
  return (
    <>
      {besides !== undefined && (
        <p class="notice">
          The transcripts are too large for this page. They are in the folder{" "}
          <code>{besides.folder}</code> beside it: {Object.keys(besides.files).length} files,{" "}
          {size(besides.bytes)}. Where you have this page alone, they are missing.
        </p>
      )}
      {turns.map((each) => (
        <Turn
          key={each.turn.turnId}
          of={each}
          source={source}
          file={besides === undefined ? undefined : fileOf(besides, each.turn.turnId)}
        />
      ))}
    </>
  );
}

function fileOf(
  { folder, files }: NonNullable<Embedded["besides"]>,
  turnId: string,
): string | undefined {
  const name = files[turnId];
  return name === undefined ? undefined : `${folder}/${name}`;
}

interface TurnProps {
  readonly of: TurnOf;
  readonly source: Source;
  /** Where its transcript is, if not here. */
  readonly file: string | undefined;
}

function Turn({ of: { phase, turn }, source, file }: TurnProps) {
  const summary = (
    <>
      <span class="turn-number">{shortId(turn.turnId)}</span>{" "}
      {phase !== "" && <span class="name">{phase}</span>} {turnWords(turn)}{" "}
      <span class="note at">
        <Moment at={turn.startedAt} isShort />
      </span>
    </>
  );
  return (
    <Fold id={`turn-${turn.turnId}`} class={`turn ${turn.role}`} summary={summary}>
      {() => (
        <>
          {turn.denied.length > 0 && (
            <p class="notice">
              Not allowed: <code>{short(turn.denied.join(", "))}</code>
            </p>
          )}
          {turn.summary !== "" && <LongText text={turn.summary} class="prose" />}
          {file === undefined ? (
            <Kept turn={turn} source={source} />
          ) : (
            <p>
              <a href={file}>{file}</a>
            </p>
          )}
        </>
      )}
    </Fold>
  );
}

interface KeptProps extends Pick<TurnProps, "source"> {
  readonly turn: TurnOf["turn"];
}

function Kept({ turn: { turnId, status }, source }: KeptProps) {
  const isChanging = source.isLive && status === "open";
  const read = useRead(turnId, () => source.readTranscript(turnId), isChanging);
  if (read === undefined) return <p class="note">Reading …</p>;
  if (read.value === undefined) return <p class="note">What its agent printed is not kept.</p>;
  return <Transcript transcript={read.value} />;
}

function Transcript({ transcript }: { readonly transcript: TranscriptFacts }) {
  const { turnId, prompt, events, omittedCount } = transcript;
  const said = events.flatMap((event) => saidIn(event) ?? []);
  return (
    <>
      {prompt !== "" && (
        <Fold id={`prompt-${turnId}`} class="prompt" summary={<span class="note">prompt</span>}>
          {() => <LongText text={prompt} class="text" />}
        </Fold>
      )}
      {said.length === 0 && <p class="note">Its agent said nothing.</p>}
      {omittedCount > 0 && <p class="note">{omittedWords(omittedCount)}</p>}
      <LongList items={said} page={100} noun="entries">
        {(shown) =>
          shown.map(({ kind, text }, n) => (
            <div key={n} class={`said ${kind}`}>
              {LABELS[kind] !== "" && <span class="label">{LABELS[kind]}</span>}
              <LongText text={text} class={kind === "text" ? "prose" : "text"} />
            </div>
          ))
        }
      </LongList>
    </>
  );
}

const LABELS = { text: "", tool: "tool", denied: "denied", retry: "retries" } as const;
