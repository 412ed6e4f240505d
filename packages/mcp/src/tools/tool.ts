import type { LimitsOf } from "@quasar/nebula/facts";
import type { Workspace } from "@quasar/runs";
import type * as z from "zod/v4";
import type { OwnCommands } from "../command.ts";
import type { Permission } from "../permission.ts";
import type { StartBook } from "../start/book.ts";
import type { StartLimits } from "../start/limits.ts";

/** What engines may spend on the nebulae of a repository by the user's settings. */
export type NebulaLimits = (workspace: Workspace) => LimitsOf;

/** What a tool works with. */
export interface CallContext {
  /** The work tree that the server was started in. */
  readonly workspace: Workspace;
  readonly commands: OwnCommands;
  readonly limits: StartLimits;
  readonly nebulaLimits: NebulaLimits | undefined;
  readonly book: StartBook;
  /** Who calls, as it names itself: not checked. */
  readonly caller: () => string;
  readonly signal: AbortSignal;
  /** Tells a caller that asked for it how far it is. @param total - Of the same unit as `done` */
  readonly progress: (done: number, total: number, message: string) => Promise<void>;
}

/** What a tool answers. */
export interface Told {
  /** Whose texts are in the facts. */
  readonly origin: string;
  readonly facts: object;
}

/** A tool as data. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** What the server has to be started with. @default nothing: it only reads */
  readonly permission?: Permission | undefined;
  readonly input: z.ZodObject;
  /** @param args - Checked by `input`. */
  call(args: Readonly<Record<string, unknown>>, context: CallContext): Promise<Told>;
}

/** A tool whose call knows what its input is. */
export function tool<Input extends z.ZodObject>(
  spec: Omit<Tool, "call" | "input"> & {
    readonly input: Input;
    readonly call: (args: z.output<Input>, context: CallContext) => Promise<Told>;
  },
): Tool {
  // The server has checked the arguments by the same schema.
  return { ...spec, call: (args, context) => spec.call(args as z.output<Input>, context) };
}
