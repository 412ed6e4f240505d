import { list, object, runId, text } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { run } from "./parts.ts";

const elsewhere = object(
  {
    runId: runId(),
    workTree: text("The top folder of its work tree"),
    command: text("What resumes it, from any folder"),
  },
  "An unfinished run in another work tree of the repository",
);

export const statusLine = result("status", "The newest runs of the work tree, or the one named", {
  workTree: text("The top folder of the work tree"),
  runs: list(run, "Newest first"),
  elsewhere: list(elsewhere, "Unfinished runs in other work trees; none where a run was named"),
});

export type StatusLine = Printed<typeof statusLine>;
