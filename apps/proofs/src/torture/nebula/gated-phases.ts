import { coderTurn, reviewerTurn, taskOf, type TorturedNebula } from "./tortured-nebula.ts";

/**
 * What people and commands have a say in: the plan is approved and each change, each work tree is set up, and what the
 * second phase did at first does not pass the verification.
 */
export const GATED_PHASES: TorturedNebula = {
  phases: { a: [], b: ["a"] },
  order: "plan",
  workers: 1,
  turns: [
    coderTurn("REWORK:", { "b.txt": "right\n" }),
    coderTurn(taskOf("a"), { "a.txt": "a\n" }),
    coderTurn(taskOf("b"), { "b.txt": "wrong\n" }),
    ...["REWORK:", taskOf("a"), taskOf("b")].map(reviewerTurn),
  ],
  hasFixedBases: true,
  execution: `gate = "approve"
setup = ["mkdir -p deps && echo '*' > deps/.gitignore && echo ready > deps/ready"]
`,
  verify: `test -s deps/ready || exit 1
if grep -qs wrong b.txt; then echo "b.txt is wrong"; exit 1; fi
`,
};
