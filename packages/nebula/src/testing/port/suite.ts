import type { Case, Feature } from "./case.ts";
import type { PortKit } from "./kit.ts";
import { LEASES } from "./leases.ts";
import { PROMISES } from "./promises.ts";
import { RECORDS } from "./records.ts";
import { RENEWALS } from "./renewals.ts";
import { Scene } from "./scene.ts";
import { SIGNALS } from "./signals.ts";
import { SUBMISSIONS } from "./submissions.ts";

/** An adapter under test. */
export interface PortSuite {
  /** Registers one test; those of vitest, jest, mocha and Node do. */
  readonly test: (name: string, body: () => Promise<void>) => void;
  /** Gives each test an adapter, which the test's runner ends. */
  readonly make: () => PortKit | Promise<PortKit>;
  readonly features: readonly Feature[];
}

const CASES: readonly Case[] = [
  ...[...SUBMISSIONS, ...LEASES, ...RENEWALS],
  ...[...RECORDS, ...PROMISES, ...SIGNALS],
];

/**
 * Registers the tests that every adapter of the nebula's port has to pass.
 *
 * @returns How many it has registered, and the names of those that the adapter lacks a feature for.
 */
export function describeNebulaPort({ test, make, features }: PortSuite): {
  readonly count: number;
  readonly leftOut: readonly string[];
} {
  const isMeant = ({ needs }: Case): boolean => needs === undefined || features.includes(needs);
  const meant = CASES.filter(isMeant);
  for (const { name, run } of meant) test(name, async () => run(new Scene(await make())));
  const leftOut = CASES.filter((each) => !isMeant(each)).map(({ name }) => name);
  return { count: meant.length, leftOut };
}
