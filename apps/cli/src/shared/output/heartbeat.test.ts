import type { onGitWork } from "@quasar/git";
import { beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { startHeartbeat, type Work } from "./heartbeat.ts";

beforeEach(() => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
});

/** A heartbeat, what it has said, and a git that reports its work. */
function aHeart() {
  const said: string[] = [];
  let listener: Parameters<typeof onGitWork>[0] | undefined;
  const heart = startHeartbeat(
    (text) => said.push(text),
    (given) => {
      listener = given;
      return () => (listener = undefined);
    },
  );
  const begin = (what: string): (() => void) => {
    const work: Work = { what };
    listener?.begun(work);
    return () => listener?.ended(work);
  };
  return { heart, said, begin, isHeard: () => listener !== undefined };
}

const LOOKING = "git is looking for changes in the work tree";

test("says once what takes long, two seconds after the last line", () => {
  const { heart, said, begin } = aHeart();
  heart.beat(true, false);
  begin("status");
  vi.advanceTimersByTime(1_999);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual([LOOKING]);
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([LOOKING]);
});

test("counts from the last line, not from the last thing that happened without one", () => {
  const { heart, said, begin } = aHeart();
  begin("status");
  vi.advanceTimersByTime(500);
  heart.beat(true, false);
  vi.advanceTimersByTime(1_500);
  heart.beat(false, false);
  vi.advanceTimersByTime(499);
  expect(said).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(said).toEqual([LOOKING]);
  heart.beat(false, false);
  vi.advanceTimersByTime(60_000);
  expect(said, "nothing else was said").toEqual([LOOKING]);
});

test("says nothing of what is quick, however long nothing was said before", () => {
  const { said, begin } = aHeart();
  vi.advanceTimersByTime(60_000);
  for (let n = 0; n < 100; n += 1) {
    const end = begin("status");
    vi.advanceTimersByTime(400);
    end();
  }
  expect(said).toEqual([]);
});

test("says what takes long together, and says it once until something else is said", () => {
  const { heart, said, begin } = aHeart();
  const works = (times: number): void => {
    for (let n = 0; n < times; n += 1) {
      const end = begin("status");
      vi.advanceTimersByTime(900);
      end();
    }
  };
  works(10);
  expect(said).toEqual([LOOKING]);
  heart.beat(true, false);
  works(10);
  expect(said).toEqual([LOOKING, LOOKING]);
});

test("says a whole by its own name, and not its parts", () => {
  const { said, begin } = aHeart();
  const endAll = begin("make work tree");
  const endPart = begin("worktree");
  vi.advanceTimersByTime(2_000);
  endPart();
  begin("rev-parse");
  vi.advanceTimersByTime(5_000);
  expect(said).toEqual(["git is checking out the work tree"]);
  endAll();
  vi.advanceTimersByTime(2_000);
  expect(said).toEqual(["git is checking out the work tree", "git rev-parse is running"]);
});

test("while an agent works, says only what takes two seconds by itself", () => {
  const { heart, said, begin } = aHeart();
  heart.beat(true, true);
  vi.advanceTimersByTime(60_000);
  const end = begin("status");
  vi.advanceTimersByTime(1_999);
  end();
  expect(said).toEqual([]);
  begin("status");
  vi.advanceTimersByTime(2_000);
  expect(said).toEqual([LOOKING]);
});

test("says nothing more once it is stopped", () => {
  const { heart, said, begin, isHeard } = aHeart();
  begin("status");
  heart.stop();
  vi.advanceTimersByTime(60_000);
  expect(said).toEqual([]);
  expect(isHeard()).toBe(false);
});
