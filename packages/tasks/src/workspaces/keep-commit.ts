import { refSha } from "@quasar/git/history";
import { createRef } from "@quasar/git/internal";
import { numbered } from "./names.ts";

/** Names a commit by a ref: under the first of the names `<prefix>`, `<prefix>-2` … that is free, or has it already. */
export async function keepCommit(
  root: string,
  { prefix, sha }: { readonly prefix: string; readonly sha: string },
  signal: AbortSignal | undefined,
): Promise<string> {
  for (const ref of numbered(prefix)) {
    if (await createRef(root, { ref, sha }, { signal })) return ref;
    if ((await refSha(root, ref, { signal })) === sha) return ref;
  }
  throw new Error("there is no end to the names");
}
