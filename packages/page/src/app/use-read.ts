import { useEffect, useState } from "preact/hooks";

/** Milliseconds between two readings of what still changes. */
const AGAIN_MS = 2000;

/**
 * Reads something when it is drawn first, and when it is another thing; again where that fails.
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
      const found = await read().then((value) => ({ key, value }), notNow);
      if (isOver) return;
      if (found !== undefined) setKnown(found);
      if (isChanging || found === undefined) timer = setTimeout(() => void look(), AGAIN_MS);
    };
    void look();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [key, isChanging]);
  return known?.key === key ? known : undefined;
}

/** Who is asked does not answer now. */
function notNow(): undefined {
  return undefined;
}
