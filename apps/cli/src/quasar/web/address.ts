import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readPrivateFile, removeFile, replaceFile } from "@quasar/durable";
import { namesIn } from "@quasar/process/files";
import { openUser } from "@quasar/runs/internal";
import { makeOwnFolder } from "@quasar/runs/own-folder";
import * as v from "valibot";

/** Where the page of a run or a nebula is, and what lets one in. */
export interface Address {
  readonly port: number;
  readonly token: string;
}

/**
 * Keeps the addresses of a page, each for as long as its server runs, readable by the user alone: a server that was killed
 * has left its own, and the next one takes it, so that pages that are open find it.
 */
export interface KeptAddresses {
  /** Of servers that run, whose ports are taken, and of those that were killed. */
  read(): readonly Address[];
  /** @returns Whether it is kept: a full or read-only disk keeps nothing, and shows as much. */
  keep(address: Address): boolean;
  /** Unless another server has kept its own since. */
  forget(address: Address): void;
}

const schema = v.object({
  port: v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(65535)),
  token: v.pipe(v.string(), v.regex(/^[\w-]{43}$/u)),
});

/** 256 random bits, as a URL takes them. */
export function newToken(): string {
  return randomBytes(32).toString("base64url");
}

/** What pages keep for the user alone. */
export function webFolder(): string {
  return join(openUser().folders.state, "web");
}

/** @param id - Of the run or nebula. */
export function keptAddresses(id: string): KeptAddresses {
  const folder = webFolder();
  const pathOf = ({ port }: Pick<Address, "port">): string => join(folder, `${id}.${port}.json`);
  const readFrom = (path: string): readonly Address[] => {
    try {
      const bytes = readPrivateFile(path, { maxBytes: 1000 });
      const parsed = v.safeParse(schema, JSON.parse(Buffer.from(bytes ?? []).toString()));
      return parsed.success ? [parsed.output] : [];
    } catch {
      return []; // It is none of a server's.
    }
  };
  return {
    read() {
      try {
        const names = namesIn(folder).filter((name) => name.startsWith(`${id}.`));
        return names.toSorted().flatMap((name) => readFrom(join(folder, name)));
      } catch {
        return []; // Nobody may look there.
      }
    },
    keep(address) {
      try {
        makeOwnFolder(folder);
        replaceFile(pathOf(address), Buffer.from(JSON.stringify(address)), { keepPrevious: false });
        return true;
      } catch {
        return false;
      }
    },
    forget(address) {
      const path = pathOf(address);
      if (readFrom(path).some(({ token }) => token === address.token)) removeFile(path);
    },
  };
}
