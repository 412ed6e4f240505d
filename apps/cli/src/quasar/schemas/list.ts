import { list, text } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { elsewhere, nebulae, run } from "./parts.ts";

export const listLine = result("list", "The runs of the work tree", {
  workTree: text("The top folder of the work tree"),
  runs: list(run, "Newest first; with --all all of them"),
  elsewhere: list(
    elsewhere,
    "Runs in other work trees: unfinished ones, and those that ended in a tree made for them",
  ),
  nebulae,
});

export type ListLine = Printed<typeof listLine>;
