import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CHANCE, type Place } from "@quasar/torture";
import type { Conversation } from "../model/conversation.ts";
import type { ModelTurn } from "../model/events.ts";
import { answerUsd, type ModelPrice, type RealModel, realWire } from "../model/real.ts";
import type { Places, TorturedAgent } from "./agent.ts";
import { newestTurn } from "./observe.ts";

const FINDING = "second.txt is missing";

/** What the model does in each piece of work, step by step; then it says that it is done. */
const WORK: Readonly<Record<string, (pathOf: (name: string) => string) => readonly ModelTurn[]>> = {
  "coder 1": (pathOf) => [
    { write: { path: pathOf("work.txt"), content: "half of the first\n" } },
    { write: { path: pathOf("rest.txt"), content: "the other half\n" } },
  ],
  "coder 2": (pathOf) => [
    { write: { path: pathOf("second.txt"), content: "half of the second\n" } },
    { write: { path: pathOf("more.txt"), content: "more\n" } },
  ],
  "reviewer 1": () => [{ shell: "git show --stat HEAD" }, { json: reviewOf([FINDING]) }],
  "reviewer 2": () => [{ shell: "git show --stat HEAD" }, { json: reviewOf([]) }],
};

function reviewOf(findings: readonly string[]): object {
  return {
    verdict: findings.length > 0 ? "changes_requested" : "approved",
    findings: findings.map((description) => ({ severity: "major", description })),
    verifications: [],
    report: { satisfaction: "high", risk: "low", needs_human_review: false, summary: "Fine." },
  };
}

function workOf({ system, prompts }: Conversation): string {
  const isReviewer = `${system}${prompts}`.includes("You are the reviewer of");
  return `${isReviewer ? "reviewer" : "coder"} ${prompts.includes(FINDING) ? 2 : 1}`;
}

function placeOf(places: Places, account: string): Place {
  const place = places.get(account);
  if (place === undefined) throw new Error(`nobody has the account ${account}`);
  return place;
}

function modelOf(price: ModelPrice, places: Places): RealModel {
  return {
    price,
    workOf,
    turnOf(conversation, account) {
      const { work } = placeOf(places, account);
      const turns = WORK[workOf(conversation)]?.((name) => join(work, name)) ?? [];
      return turns[conversation.step] ?? { text: "Done." };
    },
    turnIdOf: (account) => newestTurn(placeOf(places, account)),
    normalise: (prompts, account) =>
      CHANCE.reduce(
        (text, [pattern, by]) => text.replace(new RegExp(pattern, "gu"), by),
        prompts.replaceAll(placeOf(places, account).root, "/trial"),
      ),
  };
}

/** Nothing but loopback is reached. */
const OFFLINE = {
  HTTPS_PROXY: "http://127.0.0.1:9",
  HTTP_PROXY: "http://127.0.0.1:9",
  NO_PROXY: "127.0.0.1",
};

/** More than a bound of either agent: the output limit, and prompts that are kept for an hour at twice the price. */
function boundUsd({ input, output }: ModelPrice): number {
  return (50_000 * 2 * input + 32_000 * output) / 1e6;
}

const SONNET: ModelPrice = { input: 3, cached: 0.3, output: 15 };

/** Claude Code, against a model that speaks Anthropic's Messages. */
export const CLAUDE: TorturedAgent = {
  nameIn: () => "claude",
  flags: ["--coder-model", "claude-sonnet-4-6", "--reviewer-model", "claude-sonnet-4-6"],
  responseUsd: answerUsd(SONNET),
  boundUsd: boundUsd(SONNET),
  envOf: (url) => ({
    ...OFFLINE,
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: "sk-ant-stub",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    DISABLE_AUTOUPDATER: "1",
  }),
  prepare() {},
  wireOf: (places) => realWire("anthropic", modelOf(SONNET, places)),
};

const GPT: ModelPrice = { input: 5, cached: 0.5, output: 30 };

/** With `/tmp` out of the sandbox: a Codex that is killed while it sets it up leaves an empty `.git` there. */
const codexConfig = (url: string): string => `model = "gpt-5.5"
model_provider = "stub"
check_for_update_on_startup = false
[analytics]
enabled = false
[sandbox_workspace_write]
exclude_slash_tmp = true
[model_providers.stub]
name = "stub"
base_url = "${url}/v1"
env_key = "CODEX_STUB_KEY"
wire_api = "responses"
`;

/** Codex, against a model that speaks OpenAI's Responses. */
export const CODEX: TorturedAgent = {
  nameIn: () => "codex",
  flags: [],
  responseUsd: answerUsd(GPT),
  boundUsd: boundUsd(GPT),
  envOf: () => ({ ...OFFLINE, CODEX_STUB_KEY: "stub" }),
  prepare({ home }, url) {
    const folder = join(home, ".codex");
    mkdirSync(folder);
    writeFileSync(join(folder, "config.toml"), codexConfig(url));
  },
  wireOf: (places) => realWire("openai", modelOf(GPT, places)),
};
