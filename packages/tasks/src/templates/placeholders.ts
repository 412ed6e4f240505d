/** `{{name}}`, also with white space around the name. */
const PLACEHOLDER = /\{\{([^{}]*)\}\}/g;

/** The names that a text refers to. */
export function namesIn(text: string): readonly string[] {
  return [...text.matchAll(PLACEHOLDER)].map(([, name = ""]) => name.trim());
}

/** The text with each name replaced by what it stands for, which is not looked into again. */
export function replaceNames(text: string, valueOf: (name: string) => string): string {
  return text.replace(PLACEHOLDER, (_, name: string) => valueOf(name.trim()));
}
