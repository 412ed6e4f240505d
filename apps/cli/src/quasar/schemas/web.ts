import { text, word } from "../../shared/schemas/kinds.ts";
import { line, type Printed } from "../../shared/schemas/line.ts";

export const webLine = line("web", "Where the page is, as soon as it is there", {
  kind: word(["run", "nebula"], "What it shows"),
  id: text("Of the run or nebula"),
  url: text("Its address, with the token: it is enough to decide what a person may decide there"),
});

export type WebLine = Printed<typeof webLine>;
