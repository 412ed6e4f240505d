/** Opens what the page's address points to: it may be folded, and so may what holds it. */
export function followLinks(): void {
  addEventListener("hashchange", showTarget);
  // A link to where the address is already changes nothing, and shows it all the same.
  document.addEventListener("click", ({ target }) => {
    const link = target instanceof Element ? target.closest("a[href^='#']") : null;
    if (link?.getAttribute("href") === location.hash) showTarget();
  });
  showTarget();
}

function showTarget(): void {
  const target = document.getElementById(location.hash.slice(1));
  if (target === null) return;
  for (let at: Element | null = target; at !== null; at = at.parentElement) {
    if (at instanceof HTMLDetailsElement) at.open = true;
  }
  const head = target instanceof HTMLDetailsElement ? target.querySelector("summary") : target;
  // Printing comes first: what was opened is drawn in the next frame.
  requestAnimationFrame(() => {
    head?.focus({ preventScroll: true });
    target.scrollIntoView();
  });
}
