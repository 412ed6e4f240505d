// Drives a real task until it is killed: engine-driver.ts <JSON>
import type { ScriptedTurn } from "@quasar/agents";
import { driveTask } from "../src/engine/drive-task.ts";
import type { TaskEvent } from "../src/task-event.ts";
import { portsOf } from "./real-task.ts";

export interface Driven {
  readonly dir: string;
  readonly taskDir: string;
  readonly turns: readonly ScriptedTurn[];
  /** Killed when it tells of this. */
  readonly kill: string;
}

/** `implement committed`, `command_done`, `checkpoint git_push` */
function nameOf(event: TaskEvent): string {
  if (event.type === "loop") return `${event.step} ${event.event.type}`;
  if (event.type === "checkpoint") return `checkpoint ${event.checkpoint.trigger}`;
  return event.type;
}

const { dir, taskDir, turns, kill } = JSON.parse(process.argv[2] ?? "") as Driven;
await driveTask({
  taskDir,
  ports: portsOf(dir, turns),
  signal: new AbortController().signal,
  onEvent(event) {
    if (nameOf(event) === kill) process.kill(process.pid, "SIGKILL");
  },
});
