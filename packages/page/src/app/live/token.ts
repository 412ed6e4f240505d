import { TOKEN_KEY } from "../../live/protocol.ts";

/** The token of the page's address, which loses it by this; else the one that this tab has had. `""`: neither. */
export function takeToken(): string {
  const given = new URLSearchParams(location.hash.slice(1)).get(TOKEN_KEY);
  if (given === null) return sessionStorage.getItem(TOKEN_KEY) ?? "";
  sessionStorage.setItem(TOKEN_KEY, given);
  history.replaceState(null, "", location.pathname);
  return given;
}
