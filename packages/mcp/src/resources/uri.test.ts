import { expect, test } from "vitest";
import { parseResourceUri, resourceUri, VIEWS } from "./uri.ts";

const ID = "20261121-101500-7f3a9c";

test.for(VIEWS)("an address of %s is read as it is made", (view) => {
  expect(parseResourceUri(resourceUri(ID, view))).toEqual({ runId: ID, view });
});

test.for([
  "quasar://runs/../../etc/diff",
  `quasar://runs/${ID}/../diff`,
  `quasar://runs/${ID}/other`,
  `quasar://runs/${ID}/diff/`,
  `quasar://runs/${ID}/diff\n`,
  `quasar://runs/${ID}%2f/diff`,
  `file://runs/${ID}/diff`,
])("%j is none", (uri) => {
  expect(parseResourceUri(uri)).toBeUndefined();
});
