/** What Claude Code 2.1.330 takes for its own names of models, and where no model is named. */
const ALIASES: Readonly<Record<string, string>> = {
  "": "claude-opus-5-5",
  default: "claude-opus-5-5",
  best: "claude-opus-5-5",
  opus: "claude-opus-5-5",
  sonnet: "claude-sonnet-5-5",
  haiku: "claude-haiku-5-5",
  fable: "claude-fable-5-2",
};

/** The model that Claude Code is going to ask, as far as that can be told before it says so. */
export function modelOf(name: string = ""): string {
  return Object.hasOwn(ALIASES, name) ? (ALIASES[name] ?? name) : name;
}
