import type { ModelPrice, ModelPrices } from "@quasar/agents/prices";
import type { Kind } from "./kinds.ts";
import { isTable, namedTables } from "./named-tables.ts";

const RATES = {
  input: "input",
  output: "output",
  cache_read: "cacheRead",
  cache_write: "cacheWrite",
  cache_write_long: "cacheWriteLong",
} as const;
const LIMITS = { max_output: "maxOutput", context: "context" } as const;
const KEYS: Readonly<Record<string, keyof ModelPrice>> = { ...RATES, ...LIMITS };

const MOST_MODELS = 100;
const MOST_USD = 1_000_000;
const MOST_TOKENS = 1_000_000_000;
const NAME = /^[\w.:@/[\]-]{1,200}$/u;

/** Prices of models by name: US dollars for a million tokens, and limits of a request in tokens. */
export const prices: Kind<ModelPrices> = {
  placeholder: "<prices>",
  expected:
    'a table for each model, [prices."name"], with input and output, and if need be cache_read, cache_write, ' +
    "cache_write_long (US dollars for a million tokens), max_output and context (tokens)",
  fromText: () => undefined,
  fromToml: (value) => namedTables(value, { name: NAME, most: MOST_MODELS }, priceOf),
};

function priceOf(value: unknown): ModelPrice | undefined {
  if (!isTable(value)) return undefined;
  const entries = Object.entries(value).map(([key, amount]) => [KEYS[key], amount] as const);
  const price = Object.fromEntries(entries.map(([name = "", amount]) => [name, amount]));
  const isGood = entries.every(([name, amount]) => name !== undefined && isAmount(name, amount));
  return isGood && isModelPrice(price) ? price : undefined;
}

function isAmount(name: keyof ModelPrice, amount: unknown): boolean {
  if (typeof amount !== "number") return false;
  return name === "maxOutput" || name === "context"
    ? Number.isSafeInteger(amount) && amount > 0 && amount <= MOST_TOKENS
    : amount >= 0 && amount <= MOST_USD;
}

/** Each key that is there is an amount. */
function isModelPrice(price: object): price is ModelPrice {
  return "input" in price && "output" in price;
}
