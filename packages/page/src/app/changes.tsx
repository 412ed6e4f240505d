import type { Change } from "../view/changes.ts";
import { Diff } from "./diff.tsx";
import { Fold } from "./fold.tsx";
import { Moment } from "./moment.tsx";

/** What each commit or landing changed. */
export function Changes({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p class="none">Nothing was committed.</p>;
  return changes.map((change) => <OneChange key={change.sha} change={change} />);
}

function OneChange({ change }: { readonly change: Change }) {
  const { sha, name, by, stat, at, text, leftOut, command } = change;
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
      {() => (
        <>
          {text === undefined ? (
            <p class="note">
              Its diff is not in this report: <code>{command}</code>
            </p>
          ) : (
            <Diff text={text} />
          )}
          {leftOut.length > 0 && (
            <>
              <p class="note">
                Too large for this report: <code>{command}</code> shows them.
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
      )}
    </Fold>
  );
}
