import type { ScriptedStep, ScriptedTurn } from "./agent-script.ts";
import type { ScriptedTask } from "./scripted-task.ts";

/**
 * The scripted agent's program. Its text is what runs, in a process of its own, so that it is found
 * wherever this module was bundled to: it may use nothing from outside its own braces.
 *
 * Like Claude Code it continues working when nobody reads its output any more.
 *
 * @see SPEC.md, "Scripted model" and "Scripted sessions"
 */
async function scriptedChild(): Promise<void> {
  const fs = process.getBuiltinModule("node:fs");
  const path = process.getBuiltinModule("node:path");
  const http = process.getBuiltinModule("node:http");
  const crypto = process.getBuiltinModule("node:crypto");
  type Failure = NonNullable<ScriptedTurn["failure"]>;
  type Answer = { readonly costUsd: number; readonly text?: string | undefined };
  type Session = {
    readonly id: string;
    /** What the session was begun with, which what is asked in it continues with. */
    readonly task: Pick<ScriptedTask, "turn" | "at" | "promptSha256">;
    readonly answers: readonly Answer[];
    readonly keep: (answer: Answer) => void;
  };

  type Owner = { readonly pid: number; readonly start?: string | undefined };
  type Entry = { readonly begin: Session["task"]; readonly owner: Owner; readonly answer: Answer };
  type Said = { readonly costUsd: unknown; readonly text: unknown; readonly retryAt: unknown };

  const task = JSON.parse(fs.readFileSync(0, "utf8")) as ScriptedTask;
  process.stdout.on("error", () => undefined);
  const print = (value: object) => process.stdout.write(`${JSON.stringify(value)}\n`);
  const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
  /** `undefined` for what is no JSON, such as a record that was cut off. */
  const parse = <T>(text: string): Partial<T> | undefined => {
    try {
      return JSON.parse(text) as Partial<T>;
    } catch {
      return undefined;
    }
  };
  let spentUsd = 0;

  /** When a process was started; `undefined` for one that is gone, and where there is no `/proc`. */
  const startOf = (pid: number): string | undefined => {
    try {
      const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      const [state, ...fields] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" ? undefined : fields[18];
    } catch {
      return undefined;
    }
  };
  const isAlive = (owner: Owner) => {
    try {
      process.kill(owner.pid, 0);
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === "EPERM";
    }
    return startOf(owner.pid) === owner.start;
  };

  /**
   * Begins a session or continues in one. Its file is a log, which is also its lock: each process that
   * wants it adds itself, and the first of them that lives has it.
   */
  const openSession = (): Session | Failure => {
    const { turn, at, promptSha256 } = task;
    const { dir = "", id = crypto.randomUUID(), resumes = false } = task.session ?? {};
    if (task.session === undefined) {
      return { id: "", task, answers: [], keep: () => undefined };
    }
    const file = path.join(dir, `${id}.jsonl`);
    const missing: Failure = { kind: "session-missing", message: `There is no session ${id}.` };
    const busy: Failure = { kind: "session-busy", message: `Session ${id} is in use.` };
    if (!/^[\w-]{1,64}$/.test(id)) {
      return missing;
    }
    const add = (entry: object) => fs.appendFileSync(file, `\n${JSON.stringify(entry)}`);
    try {
      if (resumes) {
        fs.accessSync(file);
      } else {
        fs.mkdirSync(dir, { recursive: true, mode: 0o700 });
        const begin = JSON.stringify({ begin: { turn, at, promptSha256 } });
        fs.writeFileSync(file, begin, { flag: "wx", mode: 0o600 });
      }
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "EEXIST") {
        return code === "ENOENT" ? missing : busy;
      }
      throw error;
    }
    const me = { pid: process.pid, start: startOf(process.pid) };
    add({ owner: me });
    const entries = fs
      .readFileSync(file, "utf8")
      .split("\n")
      .flatMap((line) => parse<Entry>(line) ?? []);
    const begin = entries.find((entry) => entry.begin)?.begin;
    if (begin === undefined) {
      return missing;
    }
    const owner = entries.find((entry) => entry.owner && isAlive(entry.owner))?.owner;
    if (owner?.pid !== me.pid) {
      return busy;
    }
    const answers = entries.flatMap(({ answer }) => answer ?? []);
    return { id, task: begin, answers, keep: (answer) => add({ answer }) };
  };

  /** Not `fetch`, which takes as long to load as all else takes together. */
  const post = (url: string, body: string) =>
    new Promise<{ status: number; text: string }>((resolve, reject) => {
      const headers = { "content-type": "application/json", "x-quasar-turn": task.turnId };
      const request = http.request(url, { method: "POST", agent: false, headers }, (response) => {
        const pieces: string[] = [];
        response.setEncoding("utf8");
        response.on("data", (piece: string) => pieces.push(piece));
        response.on("error", reject);
        response.on("end", () => {
          resolve({ status: response.statusCode ?? 0, text: pieces.join("") });
        });
      });
      request.on("error", reject);
      request.end(body);
    });

  /** Asks the model for a step; what it bills is told at once. */
  const ask = async (model: string, session: Session, step: number): Promise<Answer | Failure> => {
    if (spentUsd > (task.maxCostUsd ?? Number.POSITIVE_INFINITY)) {
      return { kind: "budget", message: "The turn has cost what it may." };
    }
    const { turn, at, promptSha256 } = session.task;
    const body = {
      v: 1,
      session: session.id,
      role: turn.role,
      step,
      prompt_sha256: promptSha256,
      turn: at,
    };
    let status: number;
    let said: Partial<Said> | undefined;
    try {
      const response = await post(model, JSON.stringify(body));
      status = response.status;
      said = parse<Said>(response.text);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { kind: "network", message: `The model did not answer: ${message}` };
    }
    if (status === 429) {
      const time = new Date(String(said?.retryAt));
      const retryAt = Number.isNaN(time.getTime()) ? {} : { retryAt: time.toISOString() };
      return { kind: "rate-limit", message: "The model's usage limit is reached.", ...retryAt };
    }
    if (status !== 200) {
      const kind = status >= 500 ? "overloaded" : "usage";
      return { kind, message: `The model answered with ${status}.` };
    }
    const { costUsd, text } = said ?? {};
    if (typeof costUsd !== "number" || !(costUsd >= 0)) {
      return { kind: "bad-output", message: "The model did not say what its answer costs." };
    }
    spentUsd += costUsd;
    print({ type: "usage", costUsd: spentUsd });
    return { costUsd, text: typeof text === "string" ? text : undefined };
  };

  const write = (files: Readonly<Record<string, string>> = {}) => {
    for (const [name, text] of Object.entries(files)) {
      const file = path.join(task.workTree, name);
      print({ type: "tool", name: "write", detail: name });
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, text);
    }
  };

  const session = openSession();
  if ("kind" in session) {
    print({ type: "result", text: "", costUsd: 0, failure: session });
    return;
  }
  if (session.id !== "") {
    print({ type: "session", sessionId: session.id });
  }

  const { turn } = session.task;
  const { says = [], costUsd = 0, delayMs = 0, exitCode = 0 } = turn;
  const spoken: ScriptedStep[] = says.map((each) =>
    typeof each === "string" ? { text: each } : each,
  );
  const steps = [...spoken, { text: turn.text ?? "", files: turn.files }];
  const answers = [...session.answers];
  const done = answers.length;
  const printText = (text: string, at: number) => at < says.length && print({ type: "text", text });

  const playByScript = async (text: string, at: number): Promise<Answer> => {
    const parts = Math.max(says.length, 1);
    printText(text, at);
    await pause(at < parts ? delayMs / parts : 0);
    spentUsd = (costUsd * (Math.min(at + 1, parts) - done)) / parts;
    if (at < says.length) {
      print({ type: "usage", costUsd: spentUsd });
    }
    return { costUsd: at < parts ? costUsd / parts : 0 };
  };
  const playByModel = async (
    model: string,
    text: string,
    at: number,
  ): Promise<Answer | Failure> => {
    await pause(delayMs / steps.length);
    const answer = await ask(model, session, at);
    if (!("kind" in answer)) {
      printText(answer.text ?? text, at);
    }
    return answer;
  };

  // Whether what follows from the last answer was done is not known: it is done again.
  write(steps[done - 1]?.files);
  for (const [at, { text, files }] of steps.entries()) {
    if (at < done || session.task.at < 0) {
      continue;
    }
    const answer = await (task.model === undefined
      ? playByScript(text, at)
      : playByModel(task.model, text, at));
    if ("kind" in answer) {
      // Of a request that was not answered it is not known what was billed.
      const partial = answer.kind === "network" || answer.kind === "bad-output";
      print({ type: "result", text: "", costUsd: spentUsd, failure: answer, partial });
      return;
    }
    session.keep(answer);
    answers.push(answer);
    write(files);
  }
  if (exitCode === 0) {
    const text = answers.at(-1)?.text ?? turn.text ?? "";
    print({ type: "result", text, costUsd: spentUsd, failure: turn.failure });
  }
  process.exitCode = exitCode;
}

/** Arguments of `node` that run it. */
export const SCRIPTED_CHILD_ARGS: readonly string[] = [
  "--input-type=module",
  "--eval",
  `await (${scriptedChild.toString()})();`,
];
