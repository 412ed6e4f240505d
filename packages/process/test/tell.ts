import * as files from "../src/entries/files.ts";
import * as processes from "../src/index.ts";

// Prints what this process knows of others: `tell.ts <function> <JSON argument>`.
const [, , name = "", argument = "null"] = process.argv;
const known: Record<string, unknown> = { ...processes, ...files };
const told = await (known[name] as (argument: unknown) => unknown)(JSON.parse(argument));
process.stdout.write(JSON.stringify((told instanceof Map ? [...told] : told) ?? null));
