import { Box, type Key, Text, useApp, useInput, usePaste } from "ink";
import { useEffect } from "react";

type Suspend = ReturnType<typeof useApp>["suspendTerminal"];

export interface ScreenProps {
  /** Painted, each as wide as the terminal. */
  readonly lines: readonly string[];
  /** @param key - Its name, or the one character that was typed. */
  readonly onKey: (key: string) => void;
  readonly onPaste: (text: string) => void;
  /** Called once with what lends the terminal to somebody else. */
  readonly onReady: (suspend: Suspend) => void;
}

/** Draws lines, and names keys. */
export function Screen({ lines, onKey, onPaste, onReady }: ScreenProps) {
  const { suspendTerminal } = useApp();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  useInput((input, key) => {
    for (const name of namesOf(input, key)) onKey(name);
  });
  usePaste(onPaste);
  return (
    <Box flexDirection="column">
      {lines.map((line, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a row of the screen is its place
        <Text key={at} wrap="truncate">
          {line}
        </Text>
      ))}
    </Box>
  );
}

const NAMED = [
  ["upArrow", "up"],
  ["downArrow", "down"],
  ["pageDown", "pagedown"],
  ["pageUp", "pageup"],
  ["return", "enter"],
  ["escape", "esc"],
  ["backspace", "backspace"],
  ["delete", "backspace"],
] as const satisfies readonly (readonly [keyof Key, string])[];

/** Keys that only move: of them alone several may come at once, when a key is held over a slow line. */
const MOVES: ReadonlySet<string> = new Set(["j", "k"]);

/**
 * The names of the keys that were pressed. Where several characters come at once it may be text that a terminal
 * without bracketed paste has pasted: that decides nothing.
 */
function namesOf(input: string, key: Key): readonly string[] {
  if (key.tab) return [key.shift ? "shift-tab" : "tab"];
  const named = NAMED.find(([is]) => key[is]);
  if (named !== undefined) return [named[1]];
  if (key.ctrl) return [`ctrl-${input}`];
  if (key.meta) return [];
  const typed = Array.from(input);
  return typed.length > 1 ? typed.filter((char) => MOVES.has(char)) : typed;
}
