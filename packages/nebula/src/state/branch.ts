import { createHash } from "node:crypto";

/** The integration branch of a nebula of this name, without `refs/heads/`. */
export function branchOf(name: string): string {
  return `nebula/${slugOf(name)}`;
}

/** Lower case, digits, dots and hyphens, as git takes them; a name without any of them has a part of its hash. */
function slugOf(name: string): string {
  const slug = name
    .toLowerCase()
    .replaceAll(/[\s_/]+/gu, "-")
    .replaceAll(/[^a-z0-9.-]/gu, "")
    .replaceAll(/\.{2,}/gu, ".")
    .replace(/^[.-]+/u, "")
    .slice(0, 60)
    .replace(/(?:[.-]|\.lock)+$/u, "");
  if (slug !== "") return slug;
  return `n-${createHash("sha256").update(name).digest("hex").slice(0, 8)}`;
}
