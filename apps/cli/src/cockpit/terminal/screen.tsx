import { Box, type Key, Text, useApp, useInput, usePaste } from "ink";
import { useEffect } from "react";

type Suspend = ReturnType<typeof useApp>["suspendTerminal"];

export interface ScreenProps {
  /** Painted, each as wide as the terminal. */
  readonly lines: readonly string[];
  /** @param key - Its name, or the one character that was typed. */
  readonly onKey: (key: string) => void;
  readonly onPaste: (text: string) => void;
  /** Several characters have come at once: typed over a slow line, or pasted in a terminal that does not say so. */
  readonly onBurst: (text: string) => void;
  /** Called once with what lends the terminal to somebody else. */
  readonly onReady: (suspend: Suspend) => void;
}

/** Draws lines, and names keys. */
export function Screen({ lines, onKey, onPaste, onBurst, onReady }: ScreenProps) {
  const { suspendTerminal } = useApp();
  useEffect(() => onReady(suspendTerminal), [onReady, suspendTerminal]);
  useInput((input, key) => {
    const name = nameOf(input, key);
    if (name !== undefined) onKey(name);
    else if (!key.meta) onBurst(input);
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

/** The name of the one key that was pressed; `undefined`: none has it, or there were several. */
function nameOf(input: string, key: Key): string | undefined {
  if (key.tab) return key.shift ? "shift-tab" : "tab";
  const named = NAMED.find(([is]) => key[is]);
  if (named !== undefined) return named[1];
  if (key.ctrl) return `ctrl-${input}`;
  return !key.meta && Array.from(input).length === 1 ? input : undefined;
}
