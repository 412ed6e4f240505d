const shape =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.\d{1,32})?(?:[Zz]|[+-](\d\d):(\d\d))$/;

/** Whether a text is an RFC 3339 time on a day that exists; a leap second is not taken. */
export function isTimestamp(text: string): boolean {
  const parts = shape.exec(text);
  if (parts === null) return false;
  const at = (index: number): number => Number(parts[index] ?? 0);
  const month = at(2);
  const day = at(3);
  return (
    month >= 1 &&
    month <= 12 &&
    day >= 1 &&
    day <= daysOf(at(1), month) &&
    at(4) <= 23 &&
    at(5) <= 59 &&
    at(6) <= 59 &&
    at(7) <= 23 &&
    at(8) <= 59
  );
}

function daysOf(year: number, month: number): number {
  if (month !== 2) return [4, 6, 9, 11].includes(month) ? 30 : 31;
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0 ? 29 : 28;
}
