import { Writable } from "node:stream";
import { expect, onTestFinished, test } from "vitest";
import { createCoverableReporter, type CoverableReporter } from "./coverable.ts";
import type { OutputRecord } from "./record.ts";
import { RUN } from "./reporter.ts";

/** A reporter, and what it has written so far. */
function opened(): { reporter: CoverableReporter<OutputRecord>; written: () => string } {
  let written = "";
  const stream = Object.assign(
    new Writable({
      write(chunk: Buffer, _encoding, done) {
        written += chunk.toString();
        done();
      },
    }),
    { isTTY: true, columns: 80 },
  ) as unknown as NodeJS.WriteStream;
  const reporter = createCoverableReporter(
    RUN,
    { stdout: stream, stderr: stream },
    { live: true, now: () => 1000 },
  );
  onTestFinished(() => reporter.close());
  return { reporter, written: () => written };
}

const START: OutputRecord = {
  type: "agent_start",
  cycle: 2,
  role: "coder",
  turnId: "r.3",
  attempt: 1,
};

test("it is silent while it is covered, and says afterwards what a person has to know", () => {
  const { reporter, written } = opened();
  reporter.cover();
  const before = written();
  reporter.report(START);
  reporter.report({ type: "notice", message: "SIGTERM: stopping" });
  expect(written()).toBe(before);
  reporter.uncover();
  const after = written().slice(before.length);
  expect(after).toContain("SIGTERM: stopping");
  expect(after).toContain("coder works");
});

test("of what comes while it is covered the newest is kept", () => {
  const { reporter, written } = opened();
  reporter.cover();
  for (let n = 1; n <= 300; n += 1) reporter.report({ type: "notice", message: `notice ${n}.` });
  reporter.uncover();
  expect(written()).toContain("notice 300.");
  expect(written()).toContain("notice 201.");
  expect(written()).not.toContain("notice 200.");
});
