import { SCRIPT, STYLE } from "#live-bundle";
import { ownSources, pageOf } from "../document.ts";

/** The live page: the same for every run and nebula, without any data. */
export interface LivePage {
  readonly html: string;
  /** The header `Content-Security-Policy` that it is served with. */
  readonly policy: string;
}

export function livePage(): LivePage {
  const html = pageOf({
    title: "Quasar",
    // The browser asks for no icon where the page has one.
    head: '<link rel="icon" href="data:,">',
    ...{ script: SCRIPT, style: STYLE },
  });
  const policy = [
    "default-src 'none'",
    ...ownSources(SCRIPT, STYLE),
    ...["connect-src 'self'", "img-src data:", "base-uri 'none'", "form-action 'none'"],
    ...["frame-ancestors 'none'", "require-trusted-types-for 'script'", "trusted-types 'none'"],
  ];
  return { html, policy: policy.join("; ") };
}
