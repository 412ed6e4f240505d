export { type ModelPrice, type ModelPrices, PRICES_AS_OF } from "../prices.ts";
