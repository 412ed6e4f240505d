import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { livePage } from "./page.ts";

test("the live page is small, has no data, and is allowed its own script and style alone", () => {
  const { html, policy } = livePage();
  expect(Buffer.byteLength(html)).toBeLessThan(100_000);
  expect(html).not.toContain('<script type="application/json"');
  const hashes = (["script", "style"] as const).map((name) => {
    const [, text = ""] = new RegExp(`<${name}>([^]*?)</${name}>`, "u").exec(html) ?? [];
    return `${name}-src 'sha256-${createHash("sha256").update(text).digest("base64")}'`;
  });
  const directives = policy.split("; ");
  expect(directives).toEqual(expect.arrayContaining(hashes));
  expect(directives).toEqual(
    expect.arrayContaining(["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]),
  );
  expect(policy).not.toContain("unsafe");
});
