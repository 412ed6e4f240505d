import { once } from "node:events";
import * as v from "valibot";
import type { ModelWire } from "./server.ts";

const Body = v.object({
  v: v.literal(1),
  role: v.string(),
  step: v.number(),
  turn: v.number(),
});

/** The wire of the scripted agent of `@quasar/agents`: each step of a turn costs the same. */
export function scriptedWire(costUsd: number): ModelWire {
  return {
    fits: (path) => path === "/scripted",
    read(body, headers) {
      const { role, turn, step } = v.parse(Body, body);
      const work = `${role} ${turn}`;
      const turnId = String(headers["x-quasar-turn"] ?? "");
      // It sends a hash of its own, of a prompt that holds the run's id.
      return { work, key: `${work}, step ${step}`, turnId, sha256: "", costUsd };
    },
    async answer(_body, response) {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ costUsd }));
      await once(response, "close");
    },
  };
}
