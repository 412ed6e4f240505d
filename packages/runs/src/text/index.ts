/** How screens speak: amounts, times and texts of others, for a terminal. */
export { clean, cleanLine, jsonLine } from "./clean.ts";
export { firstLine } from "./first-line.ts";
export {
  budget,
  clock,
  count,
  dayAndTime,
  duration,
  knownUsd,
  moment,
  money,
  pricesWords,
  processes,
  shellWord,
  size,
  span,
  type Spending,
} from "./format.ts";
export { fit, widthOf, wrap } from "./width.ts";
