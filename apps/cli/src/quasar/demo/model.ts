import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A step of a turn that an agent asks the model for. */
export interface Asked {
  /** The turn's place in the script. */
  readonly turn: number;
  readonly session: string;
  /** From 0. */
  readonly step: number;
}

/** What a model has done so far. */
export interface Bill {
  readonly answers: number;
  /** Answers to what had been answered before. */
  readonly repeated: number;
  readonly usd: number;
}

/** The model of scripted agents: it writes no text, it bills. */
export interface Model {
  readonly url: string;
  bill(): Bill;
  close(): Promise<void>;
}

export const USD_PER_ANSWER = 0.01;

/**
 * Opens a model on this machine.
 *
 * @param answers - Whether it answers a request, which it is asked for each; one without an answer costs nothing.
 */
export async function openModel(answers: (asked: Asked) => boolean): Promise<Model> {
  const answered: string[] = [];
  const server = createServer((request, response) => {
    const pieces: string[] = [];
    request.setEncoding("utf8");
    request.on("data", (piece: string) => pieces.push(piece));
    request.on("end", () => {
      const asked = JSON.parse(pieces.join("")) as Asked;
      if (!answers(asked)) return;
      answered.push(`${asked.session} ${asked.step}`);
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ costUsd: USD_PER_ANSWER }));
    });
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/`,
    bill: () => ({
      answers: answered.length,
      repeated: answered.length - new Set(answered).size,
      usd: answered.length * USD_PER_ANSWER,
    }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
