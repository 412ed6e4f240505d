import { packageTests } from "@quasar/vitest";

export default packageTests({ name: "fleet" });
