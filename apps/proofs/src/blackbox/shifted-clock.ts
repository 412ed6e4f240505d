/**
 * Loaded before a program (`node --import`), gives it a clock that is wrong:
 * `PROOF_CLOCK="<after> <by>"` lets it jump by so many milliseconds once it has been read so
 * many times; `frozen` for the second stops it there.
 */
const [after = "0", by = "0"] = (process.env["PROOF_CLOCK"] ?? "").split(" ");
const RealDate = Date;
let readings = 0;
let frozenAt: number | undefined;

function now(): number {
  readings += 1;
  const real = RealDate.now();
  if (readings <= Number(after)) return real;
  frozenAt ??= real;
  return by === "frozen" ? frozenAt : real + Number(by);
}

globalThis.Date = new Proxy(RealDate, {
  construct: (target, args: readonly unknown[], newTarget) =>
    Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as object,
  get: (target, key) => (key === "now" ? now : (Reflect.get(target, key) as unknown)),
});
