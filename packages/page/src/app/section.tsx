import type { ComponentChildren } from "preact";

interface SectionProps {
  readonly id: string;
  readonly title: string;
  /** What it says in one line. */
  readonly lead?: ComponentChildren;
  readonly children: ComponentChildren;
}

export function Section({ id, title, lead, children }: SectionProps) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <h2 id={`${id}-title`} tabIndex={-1}>
        {title}
      </h2>
      {lead !== undefined && <p class="lead">{lead}</p>}
      {children}
    </section>
  );
}
