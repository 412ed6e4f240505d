import type { Engine } from "../context/context.ts";

/**
 * Why no phase may begin for now: what controls git is not what it was when the nebula began, which may be an agent's
 * doing, and a run takes for its user's what it finds. `undefined`: nothing has changed.
 */
export async function settingsObstacle({
  controls,
}: Pick<Engine, "controls">): Promise<string | undefined> {
  const words = await controls.obstacle();
  return words && `no phase begins. ${words} ${ADVICE}`;
}

const ADVICE = "Put back what you do not want, or resume with --accept-settings.";
