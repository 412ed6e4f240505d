import { expect, test } from "vitest";
import { type Asking, refusalOf } from "./guard.ts";

const HOST = "127.0.0.1:4000";
const TOKEN = "a".repeat(43);
const OWN = { host: HOST, authorization: `Bearer ${TOKEN}` };
const POSTED = { ...OWN, origin: `http://${HOST}` };

const statusOf = (asking: Partial<Asking>): number | undefined =>
  refusalOf({ method: "GET", headers: OWN, isPage: false, ...asking }, { host: HOST, token: TOKEN })
    ?.status;

test("the page needs no token, only its own address; all else needs one", () => {
  expect(statusOf({ headers: { host: HOST }, isPage: true })).toBe(undefined);
  expect(statusOf({})).toBe(undefined);
  expect(statusOf({ headers: POSTED })).toBe(undefined);
  expect(statusOf({ method: "POST", headers: POSTED })).toBe(undefined);
});

test.for<readonly [what: string, asking: Partial<Asking>, status: number]>([
  ["a name that was made to lead here", { headers: { ...OWN, host: "evil.test:4000" } }, 403],
  ["another port", { headers: { ...OWN, host: "127.0.0.1:4001" } }, 403],
  ["the name localhost", { headers: { ...OWN, host: "localhost:4000" } }, 403],
  ["no name", { headers: { authorization: OWN.authorization } }, 403],
  ["the page by another name", { headers: { host: "evil.test:4000" }, isPage: true }, 403],
  ["another page", { headers: { ...OWN, origin: "http://127.0.0.1:4001" } }, 403],
  ["a page of no origin", { headers: { ...OWN, origin: "null" } }, 403],
  [
    "another page that posts",
    { method: "POST", headers: { ...OWN, origin: "http://evil.test" } },
    403,
  ],
  ["a post of no page", { method: "POST", headers: OWN }, 403],
  ["a question before a request", { method: "OPTIONS", headers: OWN }, 403],
  ["no token", { headers: { host: HOST } }, 401],
  ["another token", { headers: { ...OWN, authorization: `Bearer ${TOKEN}b` } }, 401],
  ["a token without its scheme", { headers: { ...OWN, authorization: TOKEN } }, 401],
  [
    "a post without a token",
    { method: "POST", headers: { ...POSTED, authorization: undefined } },
    401,
  ],
])("refuses %s", ([, asking, status]) => {
  expect(statusOf(asking)).toBe(status);
});
