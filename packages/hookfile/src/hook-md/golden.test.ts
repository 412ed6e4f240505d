import { expect, test } from "vitest";
import { SAMPLE_FACTS, SAMPLE_VERDICTS, SAMPLES } from "../../test/sample-hook.ts";
import { renderHookMd } from "./hook-md.ts";

test.for(Object.entries(SAMPLES))("%s looks as it did, byte for byte", async ([name, hook]) => {
  const text = renderHookMd(hook, SAMPLE_VERDICTS, SAMPLE_FACTS);
  await expect(text).toMatchFileSnapshot(`../../test/fixtures/hook-md/${name}.md`);
});
