import { join } from "node:path";
import { type Finished, type Place, place, quasar, write } from "./harness.ts";
import { agents, APPROVAL, type Turn } from "./scripts.ts";

/** Where {@link withDemo} puts its nebula. */
export const DEMO = ".nebulas/demo";

/** The text of a phase's file. @param keys - Lines of front matter. */
export function phaseText(id: string, keys = ""): string {
  return `+++\nid = "${id}"\ntitle = "Phase ${id}"\n${keys}\n+++\nDo ${id}.\n`;
}

/** A nebula of two phases, of which the second waits for a person before it lands. */
export const GATED = {
  "nebula.toml": '[nebula]\nname = "demo"\n',
  "1.md": phaseText("one"),
  "2.md": phaseText("two", 'depends_on = ["one"]\ngate = "review"'),
};

/** A repository with a nebula that is not committed. */
export function withDemo(files: Readonly<Record<string, string>> = GATED): Place {
  const at = place();
  write(join(at.repo, DEMO), files);
  return at;
}

/** A coder that writes a file with the name of its phase, and a reviewer that is content. */
export function workOf(...ids: readonly string[]): readonly Turn[] {
  return [
    ...ids.map(
      (id): Turn => ({
        role: "coder",
        match: `Do ${id}.`,
        text: "Written.",
        files: { [`${id}.txt`]: `${id}\n` },
        costUsd: 0.1,
      }),
    ),
    { role: "reviewer", text: APPROVAL, costUsd: 0.1 },
  ];
}

/** The arguments that have agents work on the demo. */
export function applyArgs(at: Place, turns: readonly Turn[]): readonly string[] {
  return ["nebula", "apply", DEMO, "--auto", "--trust-config", ...agents(at, turns)];
}

/** Works on the demo to its end. */
export function apply(at: Place, turns: readonly Turn[] = workOf("one", "two")): Promise<Finished> {
  return quasar(at, [...applyArgs(at, turns), "--json"]);
}
