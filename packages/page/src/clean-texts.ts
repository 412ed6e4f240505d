import { clean } from "@quasar/runs/text";

/** A value with each text in it made safe to show; tabs and line feeds stay. Keys are the program's own. */
export function cleanTexts<Value>(value: Value): Value {
  return cleaned(value) as Value;
}

function cleaned(value: unknown): unknown {
  if (typeof value === "string") return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, cleaned(each)]));
}

function cleanText(text: string): string {
  return text.split("\t").map(clean).join("\t");
}
