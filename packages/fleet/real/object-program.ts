// Serves the object: `node object-program.ts <port>`, with the fleet's key in the environment. Its parent sets its clock.
import { serveFleet } from "../src/serve.ts";

const systemNow = Date.now;
process.on("message", (skewMs: number) => {
  Date.now = () => systemNow() + skewMs;
  process.send?.("set");
});
process.on("disconnect", () => process.exit(0));

const { url } = await serveFleet({
  key: process.env["FLEET_KEY"] ?? "",
  port: Number(process.argv[2] ?? 0),
});
process.send?.(url);
