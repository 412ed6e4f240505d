import { list, text } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { elsewhere, nebulae, run } from "./parts.ts";

export const statusLine = result("status", "The newest runs of the work tree, or the one named", {
  workTree: text("The top folder of the work tree"),
  runs: list(run, "Newest first"),
  elsewhere: list(elsewhere, "Unfinished runs in other work trees; none where a run was named"),
  nebulae,
});

export type StatusLine = Printed<typeof statusLine>;
