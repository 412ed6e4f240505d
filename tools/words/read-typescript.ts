import { SyntaxKind } from "typescript/unstable/ast";
import { createScanner } from "typescript/unstable/ast/scanner";
import { blank, type Text, type TextKind } from "./text.ts";
import { proseTexts } from "./prose.ts";

const KINDS = new Map<SyntaxKind, TextKind>([
  [SyntaxKind.Identifier, "identifier"],
  [SyntaxKind.PrivateIdentifier, "identifier"],
  [SyntaxKind.StringLiteral, "string"],
  [SyntaxKind.NoSubstitutionTemplateLiteral, "string"],
  [SyntaxKind.TemplateHead, "string"],
  [SyntaxKind.TemplateMiddle, "string"],
  [SyntaxKind.TemplateTail, "string"],
  [SyntaxKind.SingleLineCommentTrivia, "prose"],
  [SyntaxKind.MultiLineCommentTrivia, "prose"],
]);

/** After these a slash divides; after anything else it begins a regular expression. */
const ENDS_VALUE = new Set<SyntaxKind>([
  SyntaxKind.Identifier,
  SyntaxKind.PrivateIdentifier,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.NumericLiteral,
  SyntaxKind.BigIntLiteral,
  SyntaxKind.RegularExpressionLiteral,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.ThisKeyword,
  SyntaxKind.SuperKeyword,
  SyntaxKind.NullKeyword,
  SyntaxKind.TrueKeyword,
  SyntaxKind.FalseKeyword,
]);

const BLANKS = new Set<SyntaxKind>([SyntaxKind.WhitespaceTrivia, SyntaxKind.NewLineTrivia]);

/** Names, strings and comments of a TypeScript source. Keywords and regular expressions are none. */
export function readTypeScript(source: string): readonly Text[] {
  const texts: Text[] = [];
  for (const { kind, start, end } of lineCommentsJoined(tokens(source))) {
    const found = KINDS.get(kind);
    const raw = source.slice(start, end);
    if (found === "prose") texts.push(...proseTexts(comment(raw), start));
    else if (found === "string") texts.push({ kind: found, text: literal(raw), start });
    else if (found === "identifier") texts.push({ kind: found, text: raw, start });
  }
  return texts;
}

interface Token {
  readonly kind: SyntaxKind;
  readonly start: number;
  readonly end: number;
}

function* tokens(source: string): Generator<Token> {
  const scanner = createScanner(false);
  scanner.setText(source);
  /** How many braces are open in each template that is open. */
  const templates: number[] = [];
  let last: SyntaxKind = SyntaxKind.Unknown;
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const depth = templates.at(-1);
    if (kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) {
      if (!ENDS_VALUE.has(last)) kind = scanner.reScanSlashToken();
    } else if (kind === SyntaxKind.CloseBraceToken && depth === 0) {
      kind = scanner.reScanTemplateToken(false);
      if (kind === SyntaxKind.TemplateTail) templates.pop();
    } else if (depth !== undefined && kind === SyntaxKind.OpenBraceToken) {
      templates[templates.length - 1] = depth + 1;
    } else if (depth !== undefined && kind === SyntaxKind.CloseBraceToken) {
      templates[templates.length - 1] = depth - 1;
    }
    if (kind === SyntaxKind.TemplateHead) templates.push(0);
    yield { kind, start: scanner.getTokenStart(), end: scanner.getTokenEnd() };
    if (!isTrivia(kind)) last = kind;
  }
}

/** Comments of one line that follow each other are one text. */
function* lineCommentsJoined(all: Iterable<Token>): Generator<Token> {
  let joined: Token | undefined;
  for (const token of all) {
    if (token.kind === SyntaxKind.SingleLineCommentTrivia) {
      joined = { ...(joined ?? token), end: token.end };
    } else if (!BLANKS.has(token.kind)) {
      if (joined !== undefined) yield joined;
      joined = undefined;
      yield token;
    }
  }
  if (joined !== undefined) yield joined;
}

function isTrivia(kind: SyntaxKind): boolean {
  return kind >= SyntaxKind.SingleLineCommentTrivia && kind <= SyntaxKind.ConflictMarkerTrivia;
}

/** Without its marks, at the same places. */
function comment(raw: string): string {
  return raw.replaceAll(/^\s*\/\/+|^\s*\/\*+|\*\/$|^\s*\*(?=[\s/])/gm, blank);
}

/** Without quotes and escapes, at the same places. */
function literal(raw: string): string {
  return raw.replaceAll(/^["'`}]|["'`]$|\$\{$|\\./g, blank);
}
