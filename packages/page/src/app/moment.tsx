const DAY_AND_TIME = new Intl.DateTimeFormat("en-GB", {
  year: "numeric",
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
});
const TIME = new Intl.DateTimeFormat("en-GB", {
  hour: "2-digit",
  minute: "2-digit",
  second: "2-digit",
});

/** Where the reader's clock stands: all times are by it. */
export const TIME_ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function clockOf(ms: number): string {
  return TIME.format(ms);
}

export function dayOf(ms: number): string {
  return DAY_AND_TIME.format(ms);
}

/** A time by the reader's clock; nothing where it is unknown. */
export function Moment({
  at,
  isShort = false,
}: {
  readonly at: string;
  readonly isShort?: boolean;
}) {
  const ms = Date.parse(at);
  if (Number.isNaN(ms)) return null;
  return (
    <time dateTime={at} title={at}>
      {isShort ? clockOf(ms) : dayOf(ms)}
    </time>
  );
}
