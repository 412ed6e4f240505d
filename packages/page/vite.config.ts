import { defineConfig, type Plugin } from "vite";

/** The licences of what the pages' scripts hold: the live page's holds all that the report's does. */
const LICENSES = "THIRD-PARTY-LICENSES.md";

/** A page's script and style as strings of one module. */
const asStrings = (module: string): Plugin => ({
  name: "as-strings",
  enforce: "post",
  generateBundle: {
    order: "post", // Vite has taken the licences by then.
    handler(_, bundle) {
      const texts = { SCRIPT: "", STYLE: "" };
      for (const [name, file] of Object.entries(bundle)) {
        if (name === LICENSES) continue;
        if (file.type === "chunk") texts.SCRIPT += file.code;
        else if (name.endsWith(".css")) texts.STYLE += String(file.source);
        else throw new Error(`${name} is neither script nor style`);
        delete bundle[name];
      }
      for (const [name, text] of Object.entries(texts)) {
        // It stands in an element of its own, which these would end.
        if (text === "" || /<\/(?:script|style)|<!--/iu.test(text)) throw new Error(`bad ${name}`);
      }
      const source = Object.entries(texts)
        .map(([name, text]) => `export const ${name} = ${JSON.stringify(text)};\n`)
        .join("");
      this.emitFile({ type: "asset", fileName: module, source });
    },
  },
});

/** `vite build` makes the report's page, `vite build --mode live` the live one, after it. */
export default defineConfig(({ mode }) => {
  const isLive = mode === "live";
  const entry = isLive ? "src/app/live/main.tsx" : "src/app/main.tsx";
  return {
    logLevel: "warn",
    plugins: [asStrings(isLive ? "live-bundle.js" : "bundle.js")],
    build: {
      target: "es2023",
      emptyOutDir: false,
      reportCompressedSize: false,
      license: { fileName: LICENSES },
      lib: { entry, formats: ["iife"], name: "report", fileName: "app" },
    },
  };
});
