#!/usr/bin/env node
import { launch } from "./launch.ts";

await launch("quasar", () => import("./program.ts"));
