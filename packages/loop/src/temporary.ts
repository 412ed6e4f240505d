/** Whether a path is named as agents name the file that they write before they put it in another's place. */
export function isTemporary(path: string): boolean {
  return /\.tmp\.\d+\.[0-9a-f]{12}$/u.test(path);
}
