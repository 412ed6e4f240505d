import { spawn } from "node:child_process";
import { once } from "node:events";
import { cleanLine } from "@quasar/runs/text";
import { CliError } from "./errors.ts";

/** Shows a file in the program that a person has chosen for such. */
export interface FileOpener {
  /** @param path - Absolute. @throws {CliError} `ERR_NOT_INSTALLED` where nothing here can. */
  open(path: string): Promise<void>;
}

/** The desktop's own: `open` of macOS, `xdg-open` of others. */
export function desktopOpener(platform: NodeJS.Platform = process.platform): FileOpener {
  const program = platform === "darwin" ? "open" : "xdg-open";
  return {
    async open(path) {
      const child = spawn(program, [path], { detached: true, stdio: "ignore" });
      try {
        await once(child, "spawn");
      } catch (cause) {
        const message = `${program} is missing, which opens files`;
        const next = [`open it yourself: ${cleanLine(path)}`];
        throw new CliError("ERR_NOT_INSTALLED", message, { cause, next });
      }
      child.unref();
    },
  };
}
