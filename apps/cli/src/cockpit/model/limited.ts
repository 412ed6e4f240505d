import { moment } from "@quasar/runs/text";
import { momentAfter } from "@quasar/runs/words";

/** Until when an agent is limited: the time alone where that is today, else the day alone. */
export function limitedWords(retryAt: string, now: number): string {
  const [day = "", time = ""] = momentAfter(retryAt).split(" ");
  const [today] = moment(new Date(now).toISOString()).split(" ");
  return `limited until ${day === today ? time : day}`;
}
