import { list, text } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";
import { run } from "./parts.ts";

export const lsLine = line("ls", "The runs of the work tree", {
  root: text("The top folder of the work tree"),
  runs: list(run, "Newest first; with --all all of them"),
});

export type LsLine = Printed<typeof lsLine>;
