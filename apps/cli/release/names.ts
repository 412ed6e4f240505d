/**
 * What the command's packages are called where they are installed: names that no other package has. `npm install
 * -g` fails whole where another package owns one of the commands, and one that is called Quasar owns `quasar`: so
 * the first package has a command of its own name, and the second one alone has `quasar`.
 */
export const NAMES = { command: "quasar-loop", forward: "quasar-command" } as const;
