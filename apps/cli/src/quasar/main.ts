#!/usr/bin/env node
import { launch } from "../shared/launch.ts";

await launch(
  "quasar",
  () => import("./program.ts"),
  () => import("./complete.ts"),
);
