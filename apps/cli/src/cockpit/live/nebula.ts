/** All of the cockpit that needs the package of nebulae: loaded for them alone. */
export { createDecider } from "./decide.ts";
export { openNebulaSource } from "./nebula-source.ts";
