import type { SaidEvent, TranscriptFacts } from "@quasar/runs/facts";

/** What is shown of an event; `undefined`: nothing. */
export interface Said {
  readonly kind: "text" | "tool" | "denied" | "retry";
  readonly text: string;
}

export function saidIn(event: SaidEvent): Said | undefined {
  switch (event.type) {
    case "text":
      return event.text.trim() === "" ? undefined : { kind: "text", text: event.text.trim() };
    case "tool":
      return { kind: "tool", text: `${event.name} ${event.detail}`.trim() };
    case "denied":
      return { kind: "denied", text: event.what };
    case "retry":
      return { kind: "retry", text: event.message };
    case "unpriced":
      return undefined;
  }
}

const MARKS = { text: "", tool: "> ", denied: "denied: ", retry: "retries: " } as const;

/** A transcript as a text file. */
export function transcriptText({ prompt, events, omittedCount }: TranscriptFacts): string {
  const parts = events.flatMap((event) => {
    const said = saidIn(event);
    return said === undefined ? [] : [`${MARKS[said.kind]}${said.text}\n`];
  });
  const asked = prompt === "" ? [] : [`asked: ${prompt.trim()}\n`];
  return [...asked, ...omittedLines(omittedCount), ...parts].join("\n");
}

function omittedLines(count: number): readonly string[] {
  return count === 0 ? [] : [`${omittedWords(count)}\n`];
}

export function omittedWords(count: number): string {
  return `Of the beginning ${count === 1 ? "1 entry is" : `${count} entries are`} left out.`;
}
