import { describeNebulaPort, type PortSuite } from "@quasar/nebula/testing";
import { describe, expect, test } from "vitest";

/** All cases of the nebula's port, by the object behind one kind of server. */
export function describeEveryCase(where: string, make: PortSuite["make"]): void {
  describe(`the object, behind ${where}`, () => {
    const features = ["lane-expires", "leases-survive"] as const;
    const { count, leftOut } = describeNebulaPort({ test, make, features });

    test("takes all cases", () => {
      expect(leftOut).toEqual([]);
      expect(count).toBeGreaterThanOrEqual(60);
    });
  });
}
