import type { QuarantinedFile } from "@quasar/hookfile/recovery";
import { moment } from "@quasar/runs/text";
import { labelled, type View } from "../../shared/output/text.ts";
import { naming } from "../next.ts";

/** What somebody has to know of hook files that were changed behind atlas's back. */
export function quarantineLines(
  files: readonly QuarantinedFile[],
  id: string | undefined,
  view: View,
): string[] {
  return files.flatMap((file, n) => [
    ...labelled(view, n === 0 ? "tampered" : "", quarantineText(file), "red"),
    ...(n === files.length - 1
      ? labelled(view, "", `seen it? atlas hook acknowledge${naming(id)}`, "red")
      : []),
  ]);
}

export function quarantineText({ path, foundAt }: QuarantinedFile): string {
  return (
    `something other than atlas changed hook.json (found ${moment(foundAt)}); ` +
    `it was restored from the history. The changed file: ${path}`
  );
}
