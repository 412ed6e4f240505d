import { list, object, runId, text } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";
import { run } from "./parts.ts";

const elsewhere = object(
  {
    id: runId(),
    root: text("The top folder of its work tree"),
    command: text("What resumes it, from any folder"),
  },
  "An unfinished run in another work tree of the repository",
);

export const statusLine = line("status", "The newest runs of the work tree, or the one named", {
  root: text("The top folder of the work tree"),
  runs: list(run, "Newest first"),
  elsewhere: list(elsewhere, "Unfinished runs in other work trees; none where a run was named"),
});

export type StatusLine = Printed<typeof statusLine>;
