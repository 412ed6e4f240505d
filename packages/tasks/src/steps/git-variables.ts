/** Git's own variables are its caller's to say, and it has to speak a language that is understood. */
const LEFT_OUT = /^(?:GIT_|LC_)|^(?:LANG|LANGUAGE)$/i;

/** Of the variables of a task those that git and the user's git hooks are given. */
export function gitVariables(
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const given: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !LEFT_OUT.test(name)) given[name] = value;
  }
  return given;
}
