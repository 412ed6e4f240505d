/** Of a line of `git push --porcelain`: `!`, the refspec, and why. */
const REJECTED = /^!\t[^\t]*\t\[[^\]]*\] \((.*)\)$/gmu;

/** How a depot says that a ref was written by somebody else, or is just being written. */
const RACE =
  /stale info|atomic transaction failed|failed to (?:update ref|lock)|cannot lock ref|unable to (?:create|lock)|already exists|remote failed to report/iu;

function reasons(report: string): readonly string[] {
  return [...report.matchAll(REJECTED)].map(([, reason = ""]) => reason);
}

/** Whether the depot, or git by what the depot has, has said no to a ref; by what `git push --porcelain` prints. */
export function isRejected(report: string): boolean {
  return reasons(report).some((reason) => !/remote failed to report/iu.test(reason));
}

/** Whether that may be no more than another push at the same time. What a git hook has declined is not. */
export function isLostRace(report: string): boolean {
  const all = reasons(report);
  return all.some((reason) => RACE.test(reason)) && !all.some((each) => /declined/iu.test(each));
}
