import { flag, text } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";

export const nebulaStopLine = result("nebula_stop", "The engine of a nebula was told to end", {
  nebulaId: text("The nebula"),
  nebula: text("Its name"),
  isNow: flag("Whether the turns in flight are cut off; else it ends after them"),
});

export type NebulaStopLine = Printed<typeof nebulaStopLine>;
