/** How screens speak: amounts, times and texts of others, for a terminal. */
export { clean, cleanLine, jsonLine } from "./clean.ts";
export { firstLine } from "./first-line.ts";
export {
  budget,
  costWords,
  count,
  duration,
  moment,
  money,
  quotedWord,
  shellWord,
  size,
  span,
} from "./format.ts";
export { fit, widthOf, wrap } from "./width.ts";
