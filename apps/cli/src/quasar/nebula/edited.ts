import { NebulaError } from "@quasar/nebula";
import { type Edited, takesAnything } from "@quasar/nebula/internal";
import { cleanLine, shellWord } from "@quasar/runs/text";

/** That the folder of a nebula has changed, and what to type. */
export interface EditedAdvice {
  readonly words: string;
  readonly next: string;
}

/** What a person does about a folder that has changed; `undefined`: nothing would be taken of it. */
export function editedAdvice(edited: Edited | undefined, dir: string): EditedAdvice | undefined {
  if (edited === undefined) return undefined;
  if (!(edited instanceof NebulaError)) {
    const next = `quasar nebula update ${shellWord(dir)}`;
    const words = "its folder has changed since, and an update takes it over";
    return takesAnything(edited) ? { words, next } : undefined;
  }
  // With another name it is another nebula's by now.
  if (edited.code !== "ERR_INVALID_NEBULA") return undefined;
  const words = `its folder has changed since, and an update is refused: ${cleanLine(edited.message)}`;
  return { words, next: `quasar nebula validate ${shellWord(dir)}` };
}

/** The steps with the one about the folder, first and once. */
export function withEdited(
  advice: EditedAdvice | undefined,
  steps: readonly string[],
): readonly string[] {
  if (advice === undefined) return steps;
  return [advice.next, ...steps.filter((step) => step !== advice.next)];
}
