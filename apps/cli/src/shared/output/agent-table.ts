import {
  type AgentPreset,
  installCommand,
  LINE_KINDS,
  lossesOf,
  type DetectedAgent,
} from "@quasar/agents/presets";
import { loginWords } from "../agent-programs.ts";
import type { OwnAgent } from "../config/own-agents.ts";
import { section } from "./section.ts";
import { tableLines } from "./table.ts";
import { labelled, type View } from "./text.ts";

/** An agent that is known; `found`: what is here of it. */
export interface KnownAgent {
  readonly preset: AgentPreset;
  readonly found: DetectedAgent | undefined;
}

/** An agent of the user's own, and where it is set. */
export interface SetAgent {
  readonly name: string;
  readonly agent: OwnAgent;
  readonly from: string;
}

/** All that are known; those that are installed first. */
export function knownAgents(
  presets: readonly AgentPreset[],
  detected: readonly DetectedAgent[],
): readonly KnownAgent[] {
  const all = presets.map((preset) => ({
    preset,
    found: detected.find(({ kind }) => kind === preset.name),
  }));
  return all.toSorted((a, b) => Number(a.found === undefined) - Number(b.found === undefined));
}

/** Those that are here as a table, with what they lack; then the user's own, and what installs the others. */
export function agentTable(
  known: readonly KnownAgent[],
  own: readonly SetAgent[],
  view: View,
): readonly string[] {
  const rows = known.flatMap(({ preset, found }) => (found ? [cellsOf(preset, found)] : []));
  return [
    ...(rows.length === 0 ? ["No agent is installed."] : tableLines(HEAD, rows, [], view)),
    ...section(known.flatMap((agent) => remarkLines(agent, view))),
    ...section(
      own.flatMap(({ name, agent, from }) => labelled(view, name, `${lineOf(agent)}   (${from})`)),
    ),
  ];
}

const HEAD = ["agent", "version", "login", "sessions", "cost", "schema", "read-only"];

const LOGINS: Readonly<Record<DetectedAgent["login"]["state"], string>> = {
  in: "yes",
  out: "no",
  unknown: "unknown",
};

const yesOrNo = (is: boolean): string => (is ? "yes" : "no");

function cellsOf(
  { name, capabilities, cost, readOnlyBy }: AgentPreset,
  { version, login }: DetectedAgent,
): readonly string[] {
  const can = [capabilities.resumesSession, capabilities.structuredOutput, readOnlyBy !== ""];
  const [sessions = "", schema = "", readOnly = ""] = can.map(yesOrNo);
  return [name, version || "unknown", LOGINS[login.state], sessions, cost, schema, readOnly];
}

function remarkLines({ preset, found }: KnownAgent, view: View): readonly string[] {
  const remarks =
    found === undefined
      ? [`not installed: ${installCommand(preset)}`]
      : [...versionRemarks(preset, found), ...loginRemarks(preset, found), ...lossesOf(preset)];
  return remarks.flatMap((remark, n) => labelled(view, n === 0 ? preset.name : "", remark));
}

function versionRemarks({ program }: AgentPreset, { version }: DetectedAgent): readonly string[] {
  return version === "" ? [`does not report its version: ${program} --version`] : [];
}

function loginRemarks(
  preset: AgentPreset,
  { login: { state, how } }: DetectedAgent,
): readonly string[] {
  switch (state) {
    case "in":
      return [];
    case "out":
      return [`not logged in: ${loginWords(preset)}`];
    case "unknown":
      return [`login: ${how || "it does not say"}; to log in: ${loginWords(preset)}`];
  }
}

function lineOf(agent: OwnAgent): string {
  return LINE_KINDS.map((kind) => agent[kind] && `${kind}:${agent[kind]}`).join("");
}
