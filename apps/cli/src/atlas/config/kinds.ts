import type { ValidationConfig } from "@quasar/tasks";
import { type Kind, text } from "../../shared/config/kinds.ts";

const MAX_COMMANDS = 20;
const line = text(4000, "<command>");

/**
 * Commands with their names: a table `lint = "npm run lint"` or a list of commands in TOML, a repeated
 * flag, one command in the environment. What has no name of its own is named by its number.
 */
export const commands: Kind<ValidationConfig["commands"]> = {
  placeholder: "<command>",
  expected: `at most ${MAX_COMMANDS} commands, in a list or by name in a table`,
  fromText: (value) => commands.fromToml(value === "" ? [] : [value]),
  fromToml(value) {
    if (typeof value !== "object" || value === null || value instanceof Date) return undefined;
    const entries = Array.isArray(value)
      ? value.map((command: unknown, n) => [`check-${n + 1}`, command] as const)
      : Object.entries(value);
    const read = entries.map(([name, command]) => {
      const checked = NAME.test(name) ? line.fromToml(command) : undefined;
      return checked === undefined || checked.trim() === ""
        ? undefined
        : { name, command: checked };
    });
    const good = read.filter((one) => one !== undefined);
    return good.length === read.length && good.length <= MAX_COMMANDS ? good : undefined;
  },
};

const NAME = /^[A-Za-z0-9][\w.:-]{0,39}$/u;

/** Paths by name. */
export const paths: Kind<Readonly<Record<string, string>>> = {
  placeholder: "<name=path>",
  expected: 'a table of paths: name = "path"',
  fromText(value) {
    if (value === "") return {};
    const [, name, path] = /^([^=]+)=(.+)$/su.exec(value) ?? [];
    return name === undefined ? undefined : paths.fromToml({ [name]: path });
  },
  fromToml(value) {
    if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
    const entries = Object.entries(value as Readonly<Record<string, unknown>>);
    const good = entries.filter(
      (entry): entry is [string, string] =>
        NAME.test(entry[0]) && typeof entry[1] === "string" && entry[1] !== "",
    );
    return good.length === entries.length && good.length <= 100
      ? Object.fromEntries(good)
      : undefined;
  },
};

/** A length of time as people write it, `7d`, `5m`, `1h30m`, `0`; kept as it was written. */
export const time: Kind<string> = {
  placeholder: "<time>",
  expected: "a length of time such as 5m, 12h, 7d or 2w",
  fromText: (value) => (TIME.test(value) ? value : undefined),
  fromToml: (value) => (typeof value === "string" ? time.fromText(value) : undefined),
};

// As `parseRetention` reads it, which is not loaded for the help's sake.
const TIME = /^(0|(\d{1,9}(ms|[smhdw]))+)$/u;
