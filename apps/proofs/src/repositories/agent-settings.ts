import type { Setting } from "./setting.ts";

/** What an agent does to branch and history. */
export const AGENT_SETTINGS: readonly Setting[] = [
  {
    name: "whose coder goes to another branch",
    coder: "git checkout -q -B elsewhere",
    ends: { code: 5, says: /elsewhere/u },
  },
  {
    name: "whose coder amends the person's commit",
    coder: "git commit -q --amend --all -m 'Amended by the agent'",
    ends: { code: 5, says: /commit|histor/iu },
  },
  {
    name: "whose coder takes the person's commit away",
    coder: "git reset -q --hard HEAD~1; echo x > x.txt",
    ends: { code: 5, says: /commit|histor/iu },
  },
  {
    name: "whose coder leaves a rebase open",
    coder:
      "if [ ! -e .git/rebase-merge ]; then git commit -qam 'By the agent'; GIT_SEQUENCE_EDITOR='sed -i s/^pick/edit/' git rebase -q -i HEAD~1; fi",
    ends: { code: 5, says: /rebase/u },
  },
];
