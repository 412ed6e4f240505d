#!/usr/bin/env node
import { launch } from "../shared/launch.ts";

await launch(
  "atlas",
  () => import("./program.ts"),
  () => import("./complete.ts"),
);
