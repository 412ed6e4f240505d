import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { type ModelPrices, ownPriceOf, priceOf } from "../prices.ts";
import type { Price } from "../price-list.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** As `provider/model`, and as lists of prices name it. */
const namesOf = (model: string): readonly string[] => [
  model,
  model.slice(model.indexOf("/") + 1),
  model.slice(model.lastIndexOf("/") + 1),
];

/** The price of a model; `undefined` where it, or what is asked, is not known. */
export function opencodePrice(model: string | undefined, prices?: ModelPrices): Price | undefined {
  return first(model, (name) => priceOf(name, prices));
}

/** The price that a user has set for it. */
export function ownOpencodePrice(
  model: string | undefined,
  prices?: ModelPrices,
): Price | undefined {
  return first(model, (name) => ownPriceOf(name, prices));
}

function first(
  model: string | undefined,
  of: (name: string) => Price | undefined,
): Price | undefined {
  return model === undefined ? undefined : namesOf(model).flatMap((name) => of(name) ?? [])[0];
}

/**
 * The model that OpenCode is going to ask, as far as that can be told before: it says so at no time. Without one in
 * the user's configuration it takes the one that was used last, or the provider's first.
 */
export function opencodeModel(named: string | undefined, env: Environment): string | undefined {
  if (named !== undefined) return named;
  const files = [...configFiles(env), env["OPENCODE_CONFIG"] ?? ""].map(textOf);
  const texts = [...files, env["OPENCODE_CONFIG_CONTENT"] ?? ""];
  return texts.map((text) => modelIn(text)).findLast((model) => model !== undefined);
}

/** Those that OpenCode reads for every repository, the last one counting most. */
function configFiles(env: Environment): readonly string[] {
  const home = env["HOME"] ?? homedir();
  const folder = join(env["XDG_CONFIG_HOME"] ?? join(home, ".config"), "opencode");
  return ["config.json", "opencode.json", "opencode.jsonc"].map((name) => join(folder, name));
}

function textOf(path: string): string {
  try {
    return path === "" ? "" : readFileSync(path, "utf8");
  } catch {
    return ""; // OpenCode itself says what is wrong with it
  }
}

function modelIn(text: string): string | undefined {
  const { model } = settingsIn(text);
  return typeof model === "string" && model !== "" ? model : undefined;
}

/** Settings as an object, comments of whole lines left out; empty where they cannot be read. */
export function settingsIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text.replace(/^\s*\/\/.*$/gmu, ""));
    return typeof value === "object" && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
