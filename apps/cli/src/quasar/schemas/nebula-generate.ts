import { text, texts, usd, whole } from "../../shared/schemas/kinds.ts";
import { type Printed, result } from "../../shared/schemas/line.ts";
import { problems } from "./nebula.ts";

export const nebulaGenerateLine = result(
  "nebula_generate",
  "An agent has written a nebula, or tried to",
  {
    dir: text("The nebula's folder; where no answer was valid, that of the last one"),
    nebula: text('Its name; "" where no answer was valid'),
    phaseIds: texts("Its phases, in the order of their files; none where no answer was valid"),
    problems,
    attempt: whole("Of which answer this is; from 1"),
    spentUsd: usd("What all answers have cost"),
  },
);

export type NebulaGenerateLine = Printed<typeof nebulaGenerateLine>;
