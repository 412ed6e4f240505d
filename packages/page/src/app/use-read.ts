import { useEffect, useState } from "preact/hooks";

/** Milliseconds between two readings of what still changes. */
const AGAIN_MS = 2000;

/**
 * Reads something when it is drawn first, and when it is another thing.
 *
 * @param key - Names what is read.
 * @param isChanging - Whether it is read again and again.
 * @returns `undefined` while it is read first.
 */
export function useRead<Value>(
  key: string,
  read: () => Promise<Value>,
  isChanging = false,
): { readonly value: Value } | undefined {
  const [known, setKnown] = useState<{ readonly key: string; readonly value: Value }>();
  useEffect(() => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const look = async (): Promise<void> => {
      const value = await read();
      if (isOver) return;
      setKnown({ key, value });
      if (isChanging) timer = setTimeout(() => void look(), AGAIN_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, isChanging]);
  return known?.key === key ? known : undefined;
}
