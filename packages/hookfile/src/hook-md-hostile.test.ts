import fc from "fast-check";
import { expect, test } from "vitest";
import { HOSTILE_TEXTS, hiddenIn, hostileText } from "../test/hostile-texts.ts";
import { EVERYTHING, SAMPLE_FACTS, SAMPLE_VERDICTS, SAMPLES } from "../test/sample-hook.ts";
import { skeletonOf } from "../test/skeleton.ts";
import { type HookMdInput, withTexts } from "../test/with-texts.ts";
import type { HookFile } from "./hook-file.ts";
import { renderHookMd } from "./hook-md.ts";
import { readHookMdMark } from "./hook-md-mark.ts";

const isLong = process.env["QUASAR_PROOF"] === "long";

const render = ({ hook, verdicts, facts }: HookMdInput) => renderHookMd(hook, verdicts, facts);

const inputOf = (hook: HookFile): HookMdInput => ({
  hook,
  verdicts: SAMPLE_VERDICTS,
  facts: SAMPLE_FACTS,
});

function harmlessSkeleton(input: HookMdInput, textFor: (text: string) => string) {
  return skeletonOf(render(withTexts(input, textFor)));
}

function expectTemplateOnly(input: HookMdInput, skeleton: readonly string[]): void {
  const markdown = render(input);
  expect(hiddenIn(markdown)).toEqual([]);
  expect(skeletonOf(markdown)).toEqual(skeleton);
  expect(readHookMdMark(markdown)?.revision).toBe(input.hook.revision);
}

const kinds = [EVERYTHING, SAMPLES["awaiting_human-review"], SAMPLES["failed"]]
  .flatMap((hook) => (hook === undefined ? [] : [inputOf(hook)]))
  .map((input) => ({
    input,
    skeleton: harmlessSkeleton(input, () => "harmless"),
    emptySkeleton: harmlessSkeleton(input, () => ""),
  }));

test.for(HOSTILE_TEXTS.map((text) => [JSON.stringify(text).slice(0, 40), text] as const))(
  "%s in every field adds, moves and hides nothing",
  ([, text]) => {
    for (const { input, skeleton, emptySkeleton } of kinds) {
      expectTemplateOnly(
        withTexts(input, () => text),
        text === "" ? emptySkeleton : skeleton,
      );
    }
  },
);

/** Words are left out: alone they do no harm, and a version or a time that is one stands bare. */
const noWord = hostileText.filter((text) => !/^[\w.:+-]*$/.test(text));

/** For each text another one: equal ids would change what refers to what. */
function differing(texts: Iterator<string>): () => string {
  const used = new Set<string>();
  return () => {
    let text = texts.next().value as string;
    while (used.has(text)) text = texts.next().value as string;
    used.add(text);
    return text;
  };
}

test.for<[string, readonly HookFile[], number]>([
  ["a task with every text there is", [EVERYTHING], isLong ? 100_000 : 1_500],
  ["a task in any state", Object.values(SAMPLES), isLong ? 20_000 : 100],
])(
  "whatever stands in the fields of %s, the blocks are those of the template and nothing is hidden (seed atlas: 67)",
  ([, hooks, numRuns]) => {
    const inputs = hooks.map((hook) => {
      let count = 0;
      const input = inputOf(hook);
      return { input, skeleton: harmlessSkeleton(input, () => `${(count += 1)} harmless`) };
    });
    const property = fc.property(
      fc.constantFrom(...inputs),
      fc.infiniteStream(noWord),
      ({ input, skeleton }, texts) => {
        expectTemplateOnly(withTexts(input, differing(texts)), skeleton);
      },
    );
    fc.assert(property, { numRuns });
  },
  3_600_000,
);
