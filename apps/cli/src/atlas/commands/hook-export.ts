import {
  createHookFileStore,
  type HookFile,
  HookFileError,
  type HookFileStore,
} from "@quasar/hookfile";
import { renderHookMd } from "@quasar/hookfile/hook-md";
import { encodeHookFile } from "@quasar/hookfile/internal";
import { encodeReceipt } from "@quasar/receipts";
import { jsonLine } from "@quasar/runs/text";
import type { TaskRecord } from "@quasar/tasks";
import { encodeTask } from "@quasar/tasks/record";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { JSON_VERSION } from "../../shared/output/json.ts";
import type { Given } from "../command.ts";
import { openMeant } from "../find.ts";
import { openInstallation } from "../installation.ts";
import { brokenBy, chainExit } from "../output/chain-lines.ts";

/** `atlas hook export`: all that is on record of a task, from its first event on. */
export async function hookExportCommand(id: string | undefined, given: Given): Promise<ExitCode> {
  const { format = "json" } = given;
  if (format !== "json" && format !== "md") {
    throw new CliError("ERR_USAGE", `--format must be json or md, not ${format}`);
  }
  const installation = openInstallation();
  const { dir, hook, task, verdicts, chain, quarantined } = await openMeant(installation, id);
  if (format === "md") {
    const { version } = installation;
    const facts = { dir, version, receiptProblems: brokenBy(chain), quarantined };
    process.stdout.write(renderHookMd(hook, verdicts, facts));
    return chainExit(chain);
  }
  const exported = exportOf(hook, task, createHookFileStore({ dir }));
  const judged = { verdicts: Object.fromEntries(verdicts), receipt_chain: chain };
  const head = { v: JSON_VERSION, type: "hook_export" };
  process.stdout.write(jsonLine({ ...head, ...exported, ...judged }, 2));
  return exported.broken_history === undefined ? chainExit(chain) : EXIT.corrupt;
}

/** hook.json with all its entries instead of the newest, and task.json: in the names of the files. */
function exportOf(
  hook: HookFile,
  task: TaskRecord,
  store: HookFileStore,
): Record<string, unknown> & { readonly broken_history: string | undefined } {
  const parse = (bytes: Uint8Array): Record<string, unknown> =>
    JSON.parse(Buffer.from(bytes).toString()) as Record<string, unknown>;
  const history = wholeOf(store.history());
  const checkpoints = wholeOf(store.checkpoints());
  const receipts = wholeOf(store.receipts());
  return {
    ...parse(encodeHookFile(hook)),
    history: history.items.map(({ event }) => onDisk(event)),
    checkpoints: checkpoints.items.map(onDisk),
    receipts: receipts.items.map(encodeReceipt),
    task: parse(encodeTask(task)),
    broken_history: history.broken ?? checkpoints.broken ?? receipts.broken,
  };
}

interface Whole<T> {
  readonly items: readonly T[];
  /** Why there are no more, where there should be. */
  readonly broken?: string | undefined;
}

function wholeOf<T>(all: Iterable<T>): Whole<T> {
  const items: T[] = [];
  try {
    for (const item of all) items.push(item);
    return { items };
  } catch (error) {
    if (error instanceof HookFileError && error.code === "ERR_DAMAGED") {
      return { items, broken: error.message };
    }
    throw error;
  }
}

/** In the names of hook.json; what a caller has said in `details` stays as it was said. */
function onDisk(value: object): Record<string, unknown> {
  const entries = Object.entries(value).map(([key, item]: [string, unknown]) => {
    const name = key.replaceAll(/[A-Z]/gu, (letter) => `_${letter.toLowerCase()}`);
    const isList = key === "filesSnapshot" && Array.isArray(item);
    return [name, isList ? item.map((file: object) => onDisk(file)) : item] as const;
  });
  return Object.fromEntries(entries);
}
