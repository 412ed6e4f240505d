import { runProgram } from "@quasar/process";

/** Milliseconds that a notification may take. */
const LONGEST = 10_000;
/** Code units of what is said: the system takes no long variable. */
const LONGEST_TEXT = 4_000;

export interface NotificationOptions {
  /** By `sh -c`; `""`: nobody is notified. */
  readonly command: string;
  /** Where it runs. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What has happened: variables beside `env`, with any text. Nothing of it is in the arguments. */
  readonly said: Readonly<Record<string, string>>;
  /** Milliseconds. @default 10 seconds */
  readonly longest?: number | undefined;
}

/**
 * Runs the command by which a person is notified, in a process group of its own that is ended when its time is over.
 *
 * @returns What went wrong, for a person. Never rejects.
 */
export async function runNotification({
  command,
  cwd,
  env,
  said,
  longest = LONGEST,
}: NotificationOptions): Promise<string | undefined> {
  if (command === "") return undefined;
  const texts = Object.entries(said).map(([name, text]) => [
    name,
    text.replaceAll("\0", "").slice(0, LONGEST_TEXT),
  ]);
  const end = await runProgram(
    {
      ...{ file: "/bin/sh", args: ["-c", command], cwd },
      env: { ...env, ...(Object.fromEntries(texts) as Record<string, string>) },
    },
    { group: "left", timeoutMs: longest, signals: ["SIGKILL"] },
  );
  if (end.kind === "not-started")
    return `the notification command did not start: ${end.error.message}`;
  if (end.stopped === "time") return `the notification command was ended after ${longest} ms`;
  const how = end.exitSignal ?? `exit code ${end.exitCode}`;
  return end.exitCode === 0 ? undefined : `the notification command failed: ${how}`;
}
