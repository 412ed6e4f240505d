import type { KeptEvent } from "../state/recent-events.ts";

type BaseVerified = Extract<KeptEvent, { readonly type: "base_verified" }>;

/** What says that the branch fails by itself; `undefined`: nothing does, or the branch is another one since. */
export function failedBase(events: readonly KeptEvent[]): BaseVerified | undefined {
  const last = events.findLast(
    ({ type }) => type === "base_verified" || type === "nebula_updated" || type === "phase_landed",
  );
  return last?.type === "base_verified" && last.outcome === "failed" ? last : undefined;
}

export function redBaseWords(branch: string, { findings }: Pick<BaseVerified, "findings">): string {
  const [finding = "a command fails"] = findings;
  return `${branch} fails by itself, so nothing begins: ${finding}`;
}
