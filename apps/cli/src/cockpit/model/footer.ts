import { type Line, lineWidth, span } from "./line.ts";
import type { Binding } from "./keys.ts";
import type { Ui } from "./ui.ts";

/** What became of the last decision, else the keys that do something here: as many as fit, help and leaving always. */
export function footerLine({ note }: Ui, bindings: readonly Binding[], columns: number): Line {
  if (note !== undefined) return [span(` ${note.text}`, note.isBad ? "red" : "green")];
  const labels = bindings.map(({ label }) => label).filter((label) => label !== "");
  const always = labels.filter((label) => ALWAYS.has(label));
  const others = labels.filter((label) => !ALWAYS.has(label));
  while (others.length > 0 && lineWidth(labelSpans([...others, ...always])) > columns) others.pop();
  return labelSpans([...others, ...always]);
}

const ALWAYS: ReadonlySet<string> = new Set(["? keys", "q leave"]);

function labelSpans(labels: readonly string[]): Line {
  return labels.flatMap((label) => {
    const [key = "", ...words] = label.split(" ");
    return [span(` ${key}`, "bold"), span(` ${words.join(" ")} `)];
  });
}
