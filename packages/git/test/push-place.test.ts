import { expect, test } from "vitest";
import { pushPlace } from "../src/push-place.ts";
import { aRepository, git } from "./fixture.ts";

const LOGIN = "https://me:t0k@n@example.org/a.git";

test("what decides where a push goes makes another place of a remote", async () => {
  const root = aRepository();
  git(root, "remote", "add", "origin", "https://example.org/a.git");
  const places = [await pushPlace(root, "origin")];
  expect(places[0]).toMatchObject({ remote: "origin", url: "https://example.org/a.git" });
  expect(await pushPlace(root, "origin")).toEqual(places[0]);
  const settings = [
    ["url.https://one.example/.insteadOf", "https://example.org/"],
    ["url.https://two.example/.pushInsteadOf", "https://example.org/"],
    ["remote.origin.pushurl", "https://three.example/a.git"],
  ];
  for (const each of settings) {
    git(root, "config", ...each);
    places.push(await pushPlace(root, "origin"));
  }
  expect(places.map(({ url }) => new URL(url).host)).toEqual([
    "example.org",
    "one.example",
    "two.example",
    "three.example",
  ]);
  git(root, "config", "--add", "remote.origin.pushurl", "https://four.example/a.git");
  places.push(await pushPlace(root, "origin"));
  expect(places.at(-1)?.url).toBe("https://three.example/a.git, https://four.example/a.git");
  expect(new Set(places.map(({ digest }) => digest)).size).toBe(places.length);
});

test("a URL in place of a remote has no login where it is shown, and another one is another place", async () => {
  const root = aRepository();
  const place = await pushPlace(root, LOGIN);
  const shown = "https://example.org/a.git";
  expect(place).toMatchObject({ remote: shown, url: shown });
  expect((await pushPlace(root, LOGIN.replace("t0k", "t1k"))).digest).not.toBe(place.digest);
  git(root, "config", "url.https://one.example/.pushInsteadOf", "https://me");
  expect((await pushPlace(root, LOGIN)).digest).not.toBe(place.digest);
  const ssh = "ssh://git@example.org/a.git";
  expect(await pushPlace(root, ssh)).toMatchObject({ remote: ssh, url: ssh });
  expect((await pushPlace(root, "ssh://git:x@example.org/a.git")).remote).not.toContain("x@");
  const long = await pushPlace(root, `https://me:x@example.org/${"a".repeat(5000)}`);
  expect(long.url.length).toBeLessThan(600);
  expect(long.url.startsWith("https://example.org/a")).toBe(true);
});
