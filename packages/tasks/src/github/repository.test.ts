import { expect, test } from "vitest";
import { githubRepository, repositoryName } from "./repository.ts";

test.for([
  "https://github.com/acme/widgets.git",
  "https://github.com/acme/widgets",
  "https://token@github.com/acme/widgets/",
  "git@github.com:acme/widgets.git",
  "github.com:acme/widgets",
  "ssh://git@github.com/acme/widgets.git",
  "ssh://git@ssh.github.com:443/acme/widgets.git",
  "git://GitHub.com/acme/widgets.git",
])("finds the repository of %s", (url) => {
  const repository = githubRepository(url);
  expect(repository && repositoryName(repository)).toBe("github.com/acme/widgets");
});

test.for([
  "/srv/git/github.com/acme/widgets.git",
  "../github.com/acme/widgets",
  "file:///github.com/acme/widgets",
  "https://github.com.evil.example/acme/widgets",
  "https://evil.example/github.com/acme/widgets",
  "https://github.com@evil.example/acme/widgets",
  "git@evil.example:github.com/acme",
  "https://github.com/acme",
  "https://github.com/acme/widgets/tree/main",
  "https://github.com/../widgets",
  "https://github.com/-x/..",
  "https://github.com/a b/c",
  "ext::sh -c x github.com/acme/widgets",
  "github.com:--repo=x/../y",
  "https://git.corp.example/acme/widgets",
  "",
])("finds none on GitHub in %s", (url) => {
  expect(githubRepository(url)).toBeUndefined();
});

test("takes a host for GitHub's that the user has named so, and GitHub's own of companies", () => {
  const url = "git@git.corp.example:acme/widgets.git";
  expect(githubRepository(url, { GH_HOST: "git.corp.example" })?.host).toBe("git.corp.example");
  expect(githubRepository("https://acme.ghe.com/a/b")?.host).toBe("acme.ghe.com");
});
