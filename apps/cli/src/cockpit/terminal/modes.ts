/** Of a screen in lines: a cursor, lines that wrap, pasted text as if it were typed. */
export const LINE_MODES = "\u001b[?25h\u001b[?7h\u001b[?2004l";

/** Of a terminal that a cockpit had: {@link LINE_MODES} on the usual screen. */
export const USUAL_MODES: string = `\u001b[?1049l${LINE_MODES}`;

/** While a cockpit is drawn no line wraps, whatever a terminal takes the width of a character for. */
export const NO_WRAP = "\u001b[?7l";
export const WRAP = "\u001b[?7h";

/** The whole screen empty, and the cursor at its beginning. */
export const EMPTY = "\u001b[2J\u001b[H";
