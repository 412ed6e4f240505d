import { cleanLine } from "@quasar/runs/text";
import type { StructuredPatch, StructuredPatchHunk } from "diff";
import { parsePatch } from "diff/lib/patch/parse.js"; // the package's main module brings all that compares, too
import { Fold } from "./fold.tsx";
import { LongList } from "./long-list.tsx";
import { LongText } from "./long-text.tsx";
import { short } from "./short.ts";

/** Files of a diff that are open at first: a small change is read at once. */
const OPEN_LINES = 80;

/** A unified diff as a reader of code knows it; what cannot be parsed is shown as it is. */
export function Diff({ text }: { readonly text: string }) {
  const files = parsed(text);
  if (files === undefined) return <LongText text={text} class="text diff-text" />;
  return (
    <LongList items={files} page={100} noun="files">
      {(shown) => shown.map((file, n) => <File key={`${n} ${nameOf(file)}`} file={file} />)}
    </LongList>
  );
}

function parsed(text: string): readonly StructuredPatch[] | undefined {
  try {
    return parsePatch(text);
  } catch {
    return undefined;
  }
}

function nameOf({ oldFileName, newFileName }: StructuredPatch): string {
  const [before, after] = [plain(oldFileName), plain(newFileName)];
  if (after === "/dev/null" || after === "") return before;
  return before === after || before === "/dev/null" || before === ""
    ? after
    : `${before} → ${after}`;
}

/** What git had quoted is not any more, and cleaned again. */
function plain(name: string | undefined): string {
  return cleanLine((name ?? "").replace(/^[ab]\//u, ""));
}

function kindOf({ isCreate, isDelete, isRename, isBinary }: StructuredPatch): string {
  const kinds = [isCreate && "new", isDelete && "deleted", isRename && "renamed"];
  return [...kinds, isBinary && "binary"]
    .filter((kind) => kind !== false && kind !== undefined)
    .join(", ");
}

interface Line {
  readonly kind: "added" | "removed" | "same" | "hunk" | "remark";
  readonly before: number | undefined;
  readonly after: number | undefined;
  readonly text: string;
}

function File({ file }: { readonly file: StructuredPatch }) {
  const lines = file.hunks.flatMap(linesOf);
  const count = (kind: Line["kind"]): number => lines.filter((line) => line.kind === kind).length;
  const [name, kind] = [nameOf(file), kindOf(file)];
  const summary = (
    <>
      <code class="path">{name}</code>
      {kind !== "" && <span class="note">{kind}</span>}
      <span class="added">+{count("added")}</span> <span class="removed">−{count("removed")}</span>
    </>
  );
  return (
    <Fold class="file" isOpen={lines.length > 0 && lines.length <= OPEN_LINES} summary={summary}>
      {() =>
        lines.length === 0 ? (
          <p class="note">No lines to show.</p>
        ) : (
          <LongList items={lines} page={500} noun="lines">
            {(shown) => (
              <div class="code" role="group" aria-label={`changes of ${name}`} tabIndex={0}>
                <table>
                  <tbody>
                    {shown.map((line, n) => (
                      <tr key={n} class={line.kind}>
                        <td class="number">{line.before}</td>
                        <td class="number">{line.after}</td>
                        <td class="sign">{SIGNS[line.kind]}</td>
                        <td>
                          <code>{short(line.text)}</code>
                        </td>
                      </tr>
                    ))}
                  </tbody>
                </table>
              </div>
            )}
          </LongList>
        )
      }
    </Fold>
  );
}

const SIGNS = { added: "+", removed: "−", same: "", hunk: "", remark: "" } as const;

function linesOf({ oldStart, oldLines, newStart, newLines, lines }: StructuredPatchHunk) {
  let [before, after] = [oldStart, newStart];
  const head = `@@ -${oldStart},${oldLines} +${newStart},${newLines} @@`;
  const body = lines.map((line): Line => {
    const text = line.slice(1);
    switch (line[0]) {
      case "+":
        return { kind: "added", before: undefined, after: after++, text };
      case "-":
        return { kind: "removed", before: before++, after: undefined, text };
      case "\\":
        return { kind: "remark", before: undefined, after: undefined, text };
      default:
        return { kind: "same", before: before++, after: after++, text };
    }
  });
  return [{ kind: "hunk", before: undefined, after: undefined, text: head } as const, ...body];
}
