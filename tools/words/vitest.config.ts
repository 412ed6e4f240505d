import { packageTests } from "@quasar/vitest";

export default packageTests({ name: "words", include: ["*.test.ts"] });
