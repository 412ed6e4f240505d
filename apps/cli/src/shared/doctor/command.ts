import { shellWord } from "@quasar/runs/text";
import { type Finding, ok, warning } from "./finding.ts";

/** What a name on the PATH starts. */
export interface CommandFacts {
  readonly name: string;
  /** `undefined`: nothing. */
  readonly path: string | undefined;
  /** Whose it is: this very program, another installation of it, or something else. */
  readonly owner: "this" | "another installation" | "other";
  /** Name of the package that it is of, where one can be found. */
  readonly packageName: string | undefined;
  /** Another name on the PATH that starts this program. */
  readonly alias: string | undefined;
  /** The file of this program. */
  readonly main: string;
}

/** Whether the commands that a screen names start the program that has named them. */
export function commandFinding(facts: CommandFacts): Finding {
  const { name, path, owner, packageName, alias, main } = facts;
  const next = [`alias ${name}=${shellWord(alias ?? main)}`];
  if (path === undefined) return warning("command", `${name} is not on the PATH`, next);
  if (owner === "this") return ok("command", `${name} on the PATH is this program`);
  if (owner !== "other") {
    return warning("command", `${name} on the PATH is ${owner}: ${path}`, next);
  }
  const of = packageName === undefined ? "" : ` of the package ${packageName}`;
  return warning("command", `${name} on the PATH is not this program, but ${path}${of}`, next);
}
