import type { ShownDiff } from "../shown.ts";
import { type Change, diffCommand } from "../view/changes.ts";
import { Diff } from "./diff.tsx";
import { Fold } from "./fold.tsx";
import { Moment } from "./moment.tsx";
import type { Source } from "./source.ts";
import { useRead } from "./use-read.ts";

interface ChangesProps {
  readonly changes: readonly Change[];
  readonly source: Source;
}

/** What each commit or landing changed. */
export function Changes({ changes, source }: ChangesProps) {
  if (changes.length === 0) return <p class="none">Nothing was committed.</p>;
  return changes.map((change) => <OneChange key={change.sha} {...{ change, source }} />);
}

interface OneChangeProps extends Pick<ChangesProps, "source"> {
  readonly change: Change;
}

function OneChange({ change, source }: OneChangeProps) {
  const { sha, name, by, stat, at } = change;
  const summary = (
    <>
      <code>{sha.slice(0, 10)}</code> <span class="name">{name}</span>
      {by !== "" && <span class="note">by {by}</span>}
      {stat !== "" && <span class="note">{stat}</span>}
      <span class="note at">
        <Moment at={at} />
      </span>
    </>
  );
  return (
    <Fold id={`change-${sha}`} class="change" summary={summary}>
      {() => <DiffOf sha={sha} source={source} />}
    </Fold>
  );
}

function DiffOf({ sha, source }: { readonly sha: string; readonly source: Source }) {
  const read = useRead(sha, () => source.readDiff(sha));
  if (read === undefined) return <p class="note">Reading …</p>;
  if (read.value !== undefined) return <WholeDiff diff={read.value} />;
  return (
    <p class="note">
      Its diff is not in this report: <code>{diffCommand(sha, undefined)}</code>
    </p>
  );
}

/** A diff, and the names of its files that are too large to be shown. */
export function WholeDiff({ diff: { sha, from, text, leftOut } }: { readonly diff: ShownDiff }) {
  return (
    <>
      <Diff text={text} />
      {leftOut.length > 0 && (
        <>
          <p class="note">
            Too large for this report: <code>{diffCommand(sha, from)}</code> shows them.
          </p>
          <ul>
            {leftOut.map((path) => (
              <li key={path}>
                <code>{path}</code>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
