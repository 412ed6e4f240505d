import { AGENT_PRESETS, LINE_KINDS } from "@quasar/agents/presets";

/** A kind of value: how it is written on a command line, in the environment and in TOML. */
export interface Kind<T> {
  /** For `--help`: `<n>`; `""` for a flag that takes no value. */
  readonly placeholder: string;
  /** Values of it that can be offered; others may be good too. @default none */
  readonly words?: readonly string[] | undefined;
  /** Completes "must be …". */
  readonly expected: string;
  /** `undefined`: the text is no such value. */
  fromText(text: string): T | undefined;
  /** `undefined`: the value is no such value. */
  fromToml(value: unknown): T | undefined;
}

/** A whole number within bounds. */
export function whole(min: number, max: number): Kind<number> {
  const check = (value: unknown): number | undefined =>
    Number.isSafeInteger(value) && Number(value) >= min && Number(value) <= max
      ? Number(value)
      : undefined;
  return {
    placeholder: "<n>",
    expected: `a whole number from ${min} to ${max}`,
    fromText: (text) => (/^\d{1,15}$/u.test(text) ? check(Number(text)) : undefined),
    fromToml: check,
  };
}

/** An amount of money. */
export const usd: Kind<number> = {
  placeholder: "<usd>",
  expected: "an amount in US dollars from 0 (no limit) to 1000000",
  fromText: (text) =>
    /^\d{1,7}(\.\d{1,6})?$/u.test(text) ? usd.fromToml(Number(text)) : undefined,
  fromToml: (value) =>
    typeof value === "number" && value >= 0 && value <= 1_000_000 ? value : undefined,
};

/** A length of time, in minutes. */
export const minutes: Kind<number> = {
  placeholder: "<minutes>",
  expected: "a number of minutes above 0, at most 1440",
  fromText: (text) =>
    /^\d{1,4}(\.\d{1,6})?$/u.test(text) ? minutes.fromToml(Number(text)) : undefined,
  fromToml: (value) =>
    typeof value === "number" && value > 0 && value <= 1440 ? value : undefined,
};

const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

const MAX_PERIOD_MS = 7 * 86_400_000;

/** Milliseconds of `90s`, `90m`, `6h`, `1d` or `1h30m`; `undefined` for any other text. */
export function periodMs(text: string): number | undefined {
  if (!/^(\d{1,6}[smhd])+$/u.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)([smhd])/gu)];
  return parts.reduce((sum, [, n, unit = ""]) => sum + Number(n) * (UNIT_MS[unit] ?? 0), 0);
}

/** How long to wait for something, at most a week; empty for not at all. */
export const period: Kind<string> = {
  placeholder: "<time>",
  expected: "a length of time such as 90m, 6h or 1d, at most 7d",
  fromText(value) {
    const ms = value === "" ? 0 : periodMs(value);
    return ms !== undefined && ms <= MAX_PERIOD_MS ? value : undefined;
  },
  fromToml: (value) => (typeof value === "string" ? period.fromText(value) : undefined),
};

/** Text without control characters but white space. */
export function text(maxLength: number, placeholder = "<text>"): Kind<string> {
  const check = (value: unknown): string | undefined =>
    typeof value === "string" &&
    value.length <= maxLength &&
    value.isWellFormed() &&
    // oxlint-disable-next-line no-control-regex
    !/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f]/u.test(value)
      ? value
      : undefined;
  return {
    placeholder,
    expected: `text of at most ${maxLength} characters, without control characters`,
    fromText: check,
    fromToml: check,
  };
}

/** A file that is meant wherever one is; empty for none. */
export const absolutePath: Kind<string> = {
  placeholder: "<path>",
  expected: "an absolute path",
  fromText: (value) => (/^(?:\/.*)?$/u.test(value) ? text(4000).fromText(value) : undefined),
  fromToml: (value) => (typeof value === "string" ? absolutePath.fromText(value) : undefined),
};

/** Where a server is; empty for none. Who may call it is not in its address. */
export const serverUrl: Kind<string> = {
  placeholder: "<url>",
  expected: "the address of a server such as http://127.0.0.1:8080",
  fromText: (value) => (value === "" || isOrigin(value) ? value : undefined),
  fromToml: (value) => (typeof value === "string" ? serverUrl.fromText(value) : undefined),
};

function isOrigin(value: string): boolean {
  if (!URL.canParse(value) || /\s/u.test(value)) return false;
  const { protocol, username, password, pathname, search, hash } = new URL(value);
  const rest = username + password + search + hash;
  return (protocol === "http:" || protocol === "https:") && pathname === "/" && rest === "";
}

/** Several of a kind: an array in TOML, a repeated flag, one value in the environment. */
export function several(kind: Kind<string>, max: number): Kind<readonly string[]> {
  const check = (values: readonly unknown[]): readonly string[] | undefined => {
    const parsed = values.map((value) => kind.fromToml(value));
    return parsed.length <= max && parsed.every((value) => value !== undefined)
      ? parsed.filter((value) => value !== undefined)
      : undefined;
  };
  return {
    placeholder: kind.placeholder,
    expected: `a list of at most ${max} texts without control characters`,
    fromText: (value) => check(value === "" ? [] : [value]),
    fromToml: (value) => (Array.isArray(value) ? check(value) : undefined),
  };
}

export const yesOrNo: Kind<boolean> = {
  placeholder: "",
  expected: "true or false",
  fromText: (value) => ({ true: true, 1: true, false: false, 0: false })[value],
  fromToml: (value) => (typeof value === "boolean" ? value : undefined),
};

/** One of a few words. */
export function choice<const Word extends string>(...words: readonly Word[]): Kind<Word> {
  const find = (value: unknown): Word | undefined => words.find((word) => word === value);
  return {
    // Where all words would leave the help no room, its text names them.
    placeholder: words.length > 3 ? "<choice>" : `<${words.join("|")}>`,
    words,
    expected: words.map((word) => `"${word}"`).join(" or "),
    fromText: find,
    fromToml: find,
  };
}

const NAMES = AGENT_PRESETS.map(({ name }) => name);

/** A name of an agent: a known one, or the user's own. */
export const AGENT_NAME = "[a-z][a-z0-9-]{0,39}";

/** How an agent is named that has no name. */
export const AGENT_FORMS: readonly string[] = [
  ...LINE_KINDS.map((kind) => `${kind}:<command line>`),
  "scripted:<file>",
];

/** Who does a role's work. Which names there are is known where all settings are. */
export const agent: Kind<string> = {
  placeholder: "<agent>",
  expected: `one of ${[...NAMES, "a name of your own", ...AGENT_FORMS].join(", ")}`,
  fromText: (value) => (AGENT.test(value) ? text(4000).fromText(value) : undefined),
  fromToml: (value) => (typeof value === "string" ? agent.fromText(value) : undefined),
};

const AGENT = new RegExp(
  `^(?:${AGENT_NAME}|(?:${[...LINE_KINDS, "scripted"].join("|")}):\\s*\\S.*)$`,
  "u",
);
