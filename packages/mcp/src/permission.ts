/** What the callers of a server may do where it was started so, beside reading. */
export const PERMISSIONS = ["start", "control", "answer"] as const;
export type Permission = (typeof PERMISSIONS)[number];
