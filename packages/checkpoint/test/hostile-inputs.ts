import { Buffer } from "node:buffer";
import { createCheckpoint } from "../src/create.ts";
import { encodeCheckpoint } from "../src/encode.ts";

/** What becomes of an input: a code, or what is read of the checkpoint. */
export type Outcome =
  | { readonly code: string }
  | { readonly reads: Readonly<Record<string, unknown>> };

/** A file's content, and what has to become of it. */
export interface HostileFile {
  readonly name: string;
  readonly bytes: () => Uint8Array;
  readonly outcome: Outcome;
}

const valid = encodeCheckpoint(
  createCheckpoint({ phaseId: "p", cycle: 1, runId: "r", revision: 1 }),
);
const MiB = 1024 * 1024;
const invalid = { code: "ERR_INVALID_CHECKPOINT" };
const damaged = { code: "ERR_DAMAGED" };
const tooLarge = { code: "ERR_TOO_LARGE" };
const asBefore = { reads: { phaseId: "p", cycle: 1 } };

/** The valid text with one line of it replaced. */
function line(key: string, value: string): () => Uint8Array {
  const pattern = new RegExp(`^${key} = .*$`, "m");
  if (!pattern.test(valid)) throw new Error(`no line ${key}`);
  return () => Buffer.from(valid.replace(pattern, () => value));
}

const prepend = (text: string) => () => Buffer.from(`${text}\n${valid}`);
const append = (text: string) => () => Buffer.from(`${valid}${text}\n`);
const text = (content: string) => () => Buffer.from(content);
const bytes =
  (...parts: readonly (string | readonly number[])[]) =>
  () =>
    Buffer.concat(
      parts.map((part) => (typeof part === "string" ? Buffer.from(part) : Buffer.from(part))),
    );
/** Repeated until the whole file has almost 4 MiB. */
const fill = (unit: string): string =>
  unit.repeat(Math.floor((4 * MiB - valid.length - 1000) / Buffer.byteLength(unit)));

const finding = (lines: string): string => `[[findings]]\n${lines}`;
const noFindings = valid.replace("findings = []\n", "");

const file = (name: string, content: () => Uint8Array, outcome: Outcome): HostileFile => {
  return { name, bytes: content, outcome };
};

const shapes: readonly HostileFile[] = [
  file("an empty file", text(""), invalid),
  file("a file of spaces", text(" \n\t\n"), invalid),
  file("a BOM and nothing else", text("\ufeff"), invalid),
  file("a BOM before it", text(`\ufeff${valid}`), asBefore),
  file("one NUL", bytes([0]), invalid),
  file("4 KiB of NULs", bytes(Array.from({ length: 4096 }, () => 0)), invalid),
  file("4 MiB of NULs", () => Buffer.alloc(4 * MiB), invalid),
  file("one byte more than 4 MiB", () => Buffer.alloc(4 * MiB + 1), tooLarge),
  file(
    "a valid file and 5 MiB of comment",
    () => Buffer.from(`${valid}#${"x".repeat(5 * MiB)}\n`),
    tooLarge,
  ),
  file("random bytes", bytes([0x8f, 0x13, 0xc4, 0x28, 0xff, 0xfe]), damaged),
  file("UTF-16", () => Buffer.from(valid, "utf16le"), invalid),
  file("JSON", text('{"version":1}'), invalid),
  file("an ELF header", bytes([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0]), invalid),
  file("CRLF line ends", text(valid.replaceAll("\n", "\r\n")), asBefore),
  file("bare CR line ends", text(valid.replaceAll("\n", "\r")), invalid),
  file("no newline at the end", text(valid.trimEnd()), asBefore),
  file("half the file", text(valid.slice(0, valid.length / 2)), invalid),
  file("the file twice", text(valid + valid), invalid),
];

const encodings: readonly HostileFile[] = [
  file("invalid UTF-8 in a text", bytes("x = '", [0xff], `'\n${valid}`), damaged),
  file("a surrogate encoded as UTF-8", bytes("x = '", [0xed, 0xa0, 0x80], `'\n${valid}`), damaged),
  file("an overlong slash", bytes("x = '", [0xc0, 0xaf], `'\n${valid}`), damaged),
  file("a cut emoji", bytes("x = '", [0xf0, 0x9f, 0x98], `'\n${valid}`), damaged),
  file("beyond Unicode", bytes("x = '", [0xf4, 0x90, 0x80, 0x80], `'\n${valid}`), damaged),
  file("Latin-1", bytes("x = '", [0xe9], `'\n${valid}`), damaged),
  file("an escaped surrogate", line("run_id", 'run_id = "\\uD83D"'), invalid),
  file("an escape beyond Unicode", line("run_id", 'run_id = "\\U00110000"'), invalid),
  file("an unknown escape", line("run_id", 'run_id = "\\q"'), invalid),
  file("U+FFFD", line("run_id", "run_id = '\ufffd'"), { reads: { runId: "\ufffd" } }),
  file("U+FFFE and U+FFFF", line("run_id", "run_id = '\ufffe\uffff'"), {
    reads: { runId: "\ufffe\uffff" },
  }),
];

const controls: readonly HostileFile[] = [
  file("a raw NUL in a text", line("run_id", "run_id = 'a\0b'"), invalid),
  file("a raw ESC in a text", line("run_id", "run_id = 'a\x1b[2Jb'"), invalid),
  file("a raw DEL in a text", line("run_id", "run_id = 'a\x7fb'"), invalid),
  file("a raw CR in a text", line("run_id", "run_id = 'a\rb'"), invalid),
  file("an escaped NUL", line("run_id", 'run_id = "a\\u0000b"'), { reads: { runId: "a\0b" } }),
  file("an escaped ESC", line("run_id", 'run_id = "a\\u001b[2J"'), {
    reads: { runId: "a\x1b[2J" },
  }),
  file("ANSI in a title", line("task_title", 'task_title = "\\u001b]0;owned\\u0007"'), {
    reads: { taskTitle: "\x1b]0;owned\x07" },
  }),
  file("bidi overrides", line("task_title", "task_title = '\u202eevil\u2066'"), {
    reads: { taskTitle: "\u202eevil\u2066" },
  }),
  file("zero-width and tag characters", line("task_title", "task_title = 'a\u200b\u{e0061}'"), {
    reads: { taskTitle: "a\u200b\u{e0061}" },
  }),
  file("C1 controls", line("task_title", "task_title = 'a\u009b31m'"), {
    reads: { taskTitle: "a\u009b31m" },
  }),
  file("a control in a comment", prepend("# \x1b[2J"), invalid),
  file("line separators", line("task_title", "task_title = 'a\u2028b\u0085c'"), {
    reads: { taskTitle: "a\u2028b\u0085c" },
  }),
];

const keys: readonly HostileFile[] = [
  file("__proto__ as a table", append("[__proto__]\npolluted = 1"), asBefore),
  file("__proto__ as a dotted key", prepend("__proto__.polluted = 1"), asBefore),
  file("__proto__ as a text", prepend("__proto__ = 'x'"), asBefore),
  file("__proto__ in an inline table", prepend("x = { __proto__ = { polluted = 1 } }"), asBefore),
  file("constructor.prototype", prepend("constructor.prototype.polluted = 1"), asBefore),
  file("toString and hasOwnProperty", prepend("toString = 1\nhasOwnProperty = 2"), asBefore),
  file("__proto__ in a turn", prepend("turn.__proto__.polluted = 1"), invalid),
  file("__proto__ in a finding", text(`${noFindings}${finding("__proto__ = 1")}`), invalid),
  file("an empty key", prepend('"" = 1'), asBefore),
  file("a key of 1 MiB", prepend(`${"k".repeat(MiB)} = 1`), asBefore),
  file("a key with a newline", prepend('"a\\nb" = 1'), asBefore),
  file("a key without a value", prepend("x ="), invalid),
  file("a value without a key", prepend("= 1"), invalid),
  file("a key twice", prepend("cycle = 1"), invalid),
  file("a key twice, once quoted", prepend('"cycle" = 1'), invalid),
  file("a key twice, once escaped", prepend('"cycl\\u0065" = 1'), invalid),
  file("a table twice", append("[x]\n[x]"), invalid),
  file("a key that is also a table", append("[cycle]"), invalid),
  file("findings twice", append("[[findings]]"), invalid),
  file("a table named turn", append("[turn]"), invalid),
  file("a turn that is a text", prepend("turn = 'x'"), invalid),
  file("a turn that is a list", prepend("turn = []"), invalid),
  file("settings that are a text", prepend("settings = 'x'"), invalid),
  file("an outcome with __proto__", prepend("outcome.__proto__.message = ''"), invalid),
  file(
    "artifacts with a path",
    prepend("quasar_artifacts = { coder_output = '../../etc/passwd' }"),
    invalid,
  ),
  file(
    "artifacts that are missing",
    prepend(`quasar_artifacts = { coder_output = '${"0".repeat(64)}' }`),
    damaged,
  ),
  file(
    "artifacts of nothing known",
    prepend(`quasar_artifacts = { cycle = '${"0".repeat(64)}' }`),
    invalid,
  ),
  file(
    "artifacts with __proto__",
    prepend(`quasar_artifacts = { __proto__ = '${"0".repeat(64)}' }`),
    invalid,
  ),
];

const depths: readonly HostileFile[] = [
  file("arrays nested 1e6 deep", prepend(`x = ${"[".repeat(1e6)}`), invalid),
  file("arrays nested 17 deep", prepend(`x = ${"[".repeat(17)}${"]".repeat(17)}`), invalid),
  file("arrays nested 16 deep", prepend(`x = ${"[".repeat(16)}${"]".repeat(16)}`), asBefore),
  file("inline tables nested 1e5 deep", prepend(`x = ${"{a=".repeat(1e5)}`), invalid),
  file("a dotted key of 1e5 parts", prepend(`${"a.".repeat(1e5)}a = 1`), invalid),
  file("a dotted key of 2e6 parts", prepend(`a${".a".repeat(2e6)} = 1`), invalid),
  file(
    "a dotted key of 2e6 parts in an inline table",
    prepend(`x = { a${".a".repeat(2e6 - 10)} = 1 }`),
    invalid,
  ),
  file("a table header of 1e5 parts", append(`[${"a.".repeat(1e5)}a]`), invalid),
  file("a table header of 2e6 parts", append(`[a${".a".repeat(2e6)}]`), invalid),
  file("a dotted key of 17 parts", prepend(`${"a.".repeat(16)}a = 1`), invalid),
  file(
    "tables nested by headers",
    append(Array.from({ length: 100 }, (_, depth) => `[${"a.".repeat(depth)}a]`).join("\n")),
    invalid,
  ),
];

const amounts: readonly HostileFile[] = [
  file(
    "4 MiB of one-letter keys",
    () =>
      Buffer.from(
        Array.from({ length: 500_000 }, (_, index) => `${index.toString(36)}=1`).join("\n"),
      ),
    invalid,
  ),
  file("4 MiB of empty tables", append(fill("[[x]]\n")), invalid),
  file("4 MiB of empty findings", text(`${noFindings}${fill("[[findings]]\n")}`), invalid),
  file("4 MiB of empty arrays", prepend(`x = [${fill("[],")}]`), invalid),
  file("4 MiB of comments", append(fill("#\n")), asBefore),
  file("4 MiB of escapes", prepend(`x = "${fill("\\n")}"`), asBefore),
  file("4 MiB of quotes", prepend(`x = '${fill('"')}'`), asBefore),
  file("4 MiB of blank lines", append(fill("\n")), asBefore),
  file("4 MiB of spaces before a value", prepend(`x = ${fill(" ")}1`), asBefore),
  file("4 MiB of backslashes", prepend(`x = """${fill("\\\\")}"""`), asBefore),
  file("an unfinished string of 4 MiB", append(`x = """${fill("a")}`), invalid),
  file(
    "a title of 3 MiB without a break",
    line("task_title", `task_title = '${"x".repeat(3 * MiB)}'`),
    asBefore,
  ),
];

const integers: readonly HostileFile[] = [
  file("an integer beyond 2^53", line("cycle", "cycle = 9007199254740993"), invalid),
  file("an integer beyond 2^64", line("cycle", "cycle = 18446744073709551616"), invalid),
  file("an integer of 1e6 digits", line("cycle", `cycle = ${"9".repeat(1e6)}`), invalid),
  file("a negative cycle", line("cycle", "cycle = -1"), invalid),
  file("a cycle of minus zero", line("cycle", "cycle = -0"), { reads: { cycle: 0 } }),
  file("a cycle with a dot", line("cycle", "cycle = 2.0"), invalid),
  file("a cycle with an exponent", line("cycle", "cycle = 2e0"), invalid),
  file("half a cycle", line("cycle", "cycle = 1.5"), invalid),
  file("a cycle in hexadecimal", line("cycle", "cycle = 0x10"), { reads: { cycle: 16 } }),
  file("a cycle with underscores", line("cycle", "cycle = 1_000"), { reads: { cycle: 1000 } }),
  file("a cycle with a leading zero", line("cycle", "cycle = 01"), invalid),
  file("a cycle that is a text", line("cycle", "cycle = '1'"), invalid),
  file("a cycle that is true", line("cycle", "cycle = true"), invalid),
  file("a cycle that is a list", line("cycle", "cycle = [1]"), invalid),
  file("a cycle that is a table", line("cycle", "cycle = { a = 1 }"), invalid),
  file("phase 11", line("phase", "phase = 11"), invalid),
  file("phase -1", line("phase", "phase = -1"), invalid),
  file("phase 7.0", line("phase", "phase = 7.0"), invalid),
  file("a phase by its name", line("phase", "phase = 'coding'"), invalid),
  file("phase '2'", line("phase", "phase = '2'"), invalid),
  file("phase 10, which validation refuses", line("phase", "phase = 10"), {
    reads: { phase: "error" },
  }),
  file("version 2", line("version", "version = 2"), { code: "ERR_INCOMPATIBLE_VERSION" }),
  file("version 0", line("version", "version = 0"), { code: "ERR_INCOMPATIBLE_VERSION" }),
  file("version -1", line("version", "version = -1"), { code: "ERR_INCOMPATIBLE_VERSION" }),
  file("version 1 as a text", line("version", "version = '1'"), invalid),
  file("version nan", line("version", "version = nan"), invalid),
  file("a negative revision", line("revision", "revision = -1"), invalid),
];

const costs: readonly HostileFile[] = ["total_cost_usd", "max_budget_usd"].flatMap((key) => [
  file(`${key} = nan`, line(key, `${key} = nan`), invalid),
  file(`${key} = -nan`, line(key, `${key} = -nan`), invalid),
  file(`${key} = inf`, line(key, `${key} = inf`), invalid),
  file(`${key} = 1e999`, line(key, `${key} = 1e999`), invalid),
  file(`${key} = -0.01`, line(key, `${key} = -0.01`), invalid),
  file(`${key} = -inf`, line(key, `${key} = -inf`), invalid),
  file(`${key} = '5'`, line(key, `${key} = '5'`), invalid),
  file(`${key} = false`, line(key, `${key} = false`), invalid),
  file(`${key} = 70, an integer`, line(key, `${key} = 70`), asBefore),
  file(`${key} = 5e-324`, line(key, `${key} = 5e-324`), asBefore),
  file(`${key} = -0.0`, line(key, `${key} = -0.0`), asBefore),
]);

const at = (time: string): (() => Uint8Array) => line("created_at", `created_at = ${time}`);
const times: readonly HostileFile[] = [
  ...[
    "2026-02-30T00:00:00Z",
    "2026-02-29T00:00:00Z",
    "1900-02-29T00:00:00Z",
    "2026-04-31T00:00:00Z",
    "2026-13-01T00:00:00Z",
    "2026-00-01T00:00:00Z",
    "2026-01-01T24:00:00Z",
    "2026-01-01T00:60:00Z",
    "2026-06-30T23:59:60Z",
    "2026-01-01T00:00:00+24:00",
    "2026-01-01T00:00:00-99:99",
    "2026-01-01T00:00:00",
    "2026-01-01",
    "00:00:00",
    "12026-01-01T00:00:00Z",
    "'2026-01-01T00:00:00Z'",
    "1763661845",
    "[2026-01-01T00:00:00Z]",
    `2026-01-01T00:00:00.${"1".repeat(1e6)}Z`,
  ].map((time) => file(`created at ${time.slice(0, 40)}`, at(time), invalid)),
  ...[
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999999Z",
    "2024-02-29T00:00:00+23:59",
    "2026-11-20 18:04:05.123456789-05:00",
  ].map((time) => file(`created at ${time}`, at(time), { reads: { createdAt: time } })),
  file(
    "created at, after a text that shows one",
    prepend("x = '''\ncreated_at = 2001-01-01T00:00:00Z\n'''"),
    asBefore,
  ),
  file(
    "created at in a table",
    text(`${valid.replace(/^created_at.*\n/m, "")}[x]\ncreated_at = 2001-01-01T00:00:00Z\n`),
    invalid,
  ),
];

const findings: readonly HostileFile[] = [
  file("findings that are a text", line("findings", "findings = 'x'"), invalid),
  file("findings that are texts", line("findings", "findings = ['x']"), invalid),
  file("findings that are a table", line("findings", "findings = {}"), invalid),
  file("findings that are dates", line("findings", "findings = [2026-01-01]"), invalid),
  file(
    "a finding without a severity",
    text(`${noFindings}${finding("description = ''\ncycle = 1\n")}`),
    invalid,
  ),
  file(
    "a finding of half a cycle",
    text(`${noFindings}${finding("severity = ''\ndescription = ''\ncycle = 1.5\n")}`),
    invalid,
  ),
  file(
    "a finding of another status",
    text(
      `${noFindings}${finding("severity = ''\ndescription = ''\ncycle = 1\nstatus = 'lost'\n")}`,
    ),
    invalid,
  ),
  file(
    "a finding whose id is a number",
    text(`${noFindings}${finding("id = 1\nseverity = ''\ndescription = ''\ncycle = 1\n")}`),
    invalid,
  ),
  file("commits that are numbers", line("cycle_commits", "cycle_commits = [1]"), invalid),
  file(
    "commits of which one is a number",
    line("cycle_commits", "cycle_commits = ['a', 1]"),
    invalid,
  ),
  file("commits that are a text", line("cycle_commits", "cycle_commits = 'a'"), invalid),
  file("refactored = 1", line("refactored", "refactored = 1"), invalid),
];

const names: readonly HostileFile[] = [
  file("another phase's id", line("phase_id", "phase_id = 'q'"), invalid),
  file("a path as its phase id", line("phase_id", "phase_id = '../../p'"), invalid),
  file("the standalone run's id", line("phase_id", "phase_id = ''"), invalid),
  file("a seal that is announced and missing", prepend("sealed = 1"), damaged),
  file("a seal of no length", append("# quasar:v1 "), damaged),
  file(
    "a seal of zeros",
    append(`# quasar:v1 len=${valid.length} sha256=${"0".repeat(64)}`),
    damaged,
  ),
  file("a seal of another length", append(`# quasar:v1 len=1e3 sha256=${"0".repeat(64)}`), damaged),
  file("a seal of a later version", append("# quasar:v2 len=1"), asBefore),
];

/** Contents of `checkpoint.p.toml`. */
export const HOSTILE_FILES: readonly HostileFile[] = [
  ...shapes,
  ...encodings,
  ...controls,
  ...keys,
  ...depths,
  ...amounts,
  ...integers,
  ...costs,
  ...times,
  ...findings,
  ...names,
];

/** Phase ids as somebody else's text gives them; refused, or kept within the folder. */
export const HOSTILE_IDS: readonly (readonly [name: string, id: string, isRefused: boolean])[] = [
  ["a parent", "..", false],
  ["this folder", ".", false],
  ["a path up", "../../../etc/passwd", false],
  ["an absolute path", "/etc/passwd", false],
  ["a path with a step back", "a/../../x", false],
  ["a Windows path", "..\\..\\x", false],
  ["a Windows stream", "a:b", false],
  ["a Windows device", "con", false],
  ["a Windows device with an ending", "nul.txt", false],
  ["upper case", "P", false],
  ["a composed letter", "é", false],
  ["a decomposed letter", "e\u0301", false],
  ["255 bytes", "x".repeat(255), false],
  ["300 bytes", "x".repeat(300), false],
  ["80 emoji", "😀".repeat(80), false],
  ["1,024 bytes", "x".repeat(1024), false],
  ["1,025 bytes", "x".repeat(1025), true],
  ["1 MiB", "x".repeat(MiB), true],
  ["a NUL", "a\0b", true],
  ["a newline", "a\nb", true],
  ["an escape sequence", "\x1b[2J", true],
  ["a C1 control", "\u009b31m", true],
  ["half a surrogate pair", "\ud83d", true],
  ["a bidi override", "\u202etxt", false],
  ["zero-width characters", "\u200b", false],
  ["__proto__", "__proto__", false],
  ["constructor", "constructor", false],
  ["the standalone file's ending", "toml", false],
  ["our ending", "p.toml", false],
  ["a generation's ending", "p.toml.1.prev", false],
  ["a damaged file's ending", "p.toml.damaged-1", false],
  ["a temporary name", ".p.0123456789abcdef.tmp", false],
  ["a name that looks encoded", "~5on2vgt9", false],
  ["a name that looks hashed", `~~${"0".repeat(52)}`, false],
  ["an option", "--force", false],
  ["a space", " ", false],
  ["shell syntax", "$(touch x);`touch y`|z", false],
  ["a format string", "%s%n%00", false],
  ["a TOML break", "'\"\\ ]] = #", false],
];
