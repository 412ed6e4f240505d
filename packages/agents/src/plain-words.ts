/**
 * An error of a model's API as a person reads it: where the text holds the JSON that the API answered, the message in
 * that alone, else the text as it is. An answer within an answer's message is read too.
 *
 * @param text - `got status: 400. {"error":{"code":400,"message":"API key not valid."}}`
 */
export function plainWords(text: string): string {
  for (let plain = text; ; ) {
    const inner = messageIn(plain);
    if (inner === undefined) return plain;
    plain = inner;
  }
}

/** The message of the JSON object in a text; `undefined` without one. Always shorter than the text. */
function messageIn(text: string): string | undefined {
  const [from, to] = [text.indexOf("{"), text.lastIndexOf("}")];
  if (from === -1 || to < from) return undefined;
  let answer: unknown;
  try {
    answer = JSON.parse(text.slice(from, to + 1));
  } catch {
    return undefined;
  }
  const { error, message } = answer as { readonly error?: unknown; readonly message?: unknown };
  const inner = typeof error === "object" && error !== null && "message" in error;
  const said = inner ? error.message : (message ?? error);
  return typeof said === "string" && said.trim() !== "" ? said : undefined;
}
