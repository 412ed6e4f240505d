import type { LandingFacts } from "@quasar/nebula/facts";
import { landingWords } from "../view/landings.ts";
import { Badge } from "./badge.tsx";
import { Moment } from "./moment.tsx";

/** In which order phases landed, and whether what landed is what was verified. */
export function Landings({ landings }: { readonly landings: readonly LandingFacts[] }) {
  if (landings.length === 0) return <p class="none">Nothing has landed.</p>;
  return (
    <ol class="landings">
      {landings.map((landing) => {
        const { isGood, words } = landingWords(landing);
        return (
          <li key={landing.number}>
            <p>
              <a href={`#change-${landing.sha}`}>
                <code>{landing.sha.slice(0, 10)}</code>
              </a>{" "}
              <span class="name">{landing.phase}</span>{" "}
              <span class="note">
                <Moment at={landing.at} />
              </span>
            </p>
            <p>
              <Badge tone={isGood ? "good" : "wait"} word={words} />{" "}
              <span class="note">
                tree <code>{landing.tree.slice(0, 10)}</code> onto{" "}
                <code>{landing.onto.slice(0, 10)}</code>
              </span>
            </p>
          </li>
        );
      })}
    </ol>
  );
}
