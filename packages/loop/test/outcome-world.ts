import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join, relative } from "node:path";
import { createMemoryCheckpointStore, type CheckpointStore } from "@quasar/checkpoint";
import type { AgentInvoker, AgentRequest, AgentResult } from "@quasar/agents";
import type { FoundTurn } from "@quasar/agents/turns";
import { assessResume } from "../src/resume/assess.ts";
import { continueRun } from "../src/resume/continue.ts";
import { type LoopRepository, openLoopRepository } from "../src/repository/repository.ts";
import type { Ports } from "../src/run.ts";
import { settingsOf } from "../src/settings.ts";
import { startRun } from "../src/start.ts";
import {
  type Assignment,
  actAsPerson,
  BUGGY,
  fix,
  fixOf,
  format,
  meddle,
  SOURCE,
  setHook,
  textOf,
  unnest,
  workBefore,
  wrapUp,
} from "./outcome-deeds.ts";
import type { Kill, PersonAct, Plan, Spot } from "./outcome-plan.ts";
import { createWorkTree, type WorkTree } from "./work-tree.ts";

/** What a run is told of its repository, if it is not the truth. */
export type Lie = (repository: LoopRepository, world: World) => LoopRepository;

export interface End {
  readonly outcome: string;
  readonly message: string;
}

/** An agent's turn: what it still has to do, and the moments of it. */
interface Actor {
  readonly request: AgentRequest;
  readonly steps: { readonly spot: Spot; readonly act: () => void }[];
  state: "waiting" | "working" | "ended" | "dead";
  text: string;
}

const KILLED: AgentResult = {
  failure: { kind: "killed", message: "the agent was killed", retryable: true },
  text: "",
  costUsd: 0.1,
  costSource: "partial",
  durationMs: 1,
};

/** Ends after which a person types `resume`, for what stopped the run may have passed. */
const PASSING: ReadonlySet<string> = new Set(["agent", "git"]);
const MOST_LIVES = 10;

/** A run in a repository of git's, its agents, and who else is there. */
export class World {
  readonly tree: WorkTree = createWorkTree();
  readonly plan: Plan;
  /** By what persons' work is known that nobody but an agent has thrown away. */
  readonly marks = new Set<string>();
  /** Paths with a person's work from before. */
  readonly protectedPaths: readonly string[];
  /** What lay in the tree when the last reviewer began, and when the last required check passed. */
  given: ReadonlyMap<string, string> | undefined;
  checked: ReadonlyMap<string, string> | undefined;
  /** Who worked last: a lie may depend on it. */
  last: "coder" | "lint" | "reviewer" | "commit" | undefined;
  readonly #lie: Lie;
  readonly #store: CheckpointStore = createMemoryCheckpointStore();
  readonly #actors = new Map<string, Actor>();
  readonly #persons: PersonAct[];
  readonly #kills: Kill[];
  #die: () => void = () => undefined;
  #isDead = false;
  #cycle = 1;
  #isRemoved = false;
  #fate: Kill["fate"] = "ends";

  constructor(plan: Plan, lie: Lie = (repository) => repository) {
    this.plan = plan;
    this.#lie = lie;
    this.#persons = [...plan.person];
    this.#kills = [...plan.kills];
    const { tree } = this;
    tree.write(SOURCE, BUGGY);
    tree.git("add", "-A");
    tree.git("commit", "-q", "-m", "a program with bugs");
    setHook(tree, plan.hook);
    const mark = "person-before";
    this.protectedPaths = workBefore(tree, plan.before, mark);
    if (this.protectedPaths.length > 0) this.marks.add(mark);
  }

  /** Lets the run live, and resumes it as a person does, until it stops for good. */
  async play(): Promise<End> {
    let end: End | undefined;
    for (let life = 0; life < MOST_LIVES; life += 1) {
      end = await this.#live();
      if (end !== undefined && !PASSING.has(end.outcome)) return end;
      if (this.#isRemoved) return { outcome: "approved", message: "" };
    }
    return end ?? { outcome: "killed", message: "" };
  }

  /** `undefined`: the runner was killed. */
  async #live(): Promise<End | undefined> {
    this.#isDead = false;
    const death = new Promise<undefined>((resolve) => {
      this.#die = () => resolve(undefined);
    });
    const opened = await openLoopRepository(this.tree.dir);
    if (opened === undefined) throw new Error("no repository");
    const stored = await this.#store.load();
    if (stored !== undefined) {
      const { checkpoint } = stored;
      const facts = await opened.facts(checkpoint.gitSha, await opened.look());
      const agentIsAlive = this.#working() !== undefined;
      const [refusal] = assessResume(facts, { checkpoint, agentIsAlive }).refusals;
      if (refusal !== undefined) return { outcome: "refused", message: refusal.message };
    }
    const agent = this.#invoker();
    const settings = settingsOf({
      workTree: this.tree.dir,
      coder: agent,
      reviewer: agent,
      runId: "run",
      maxCycles: 6,
      maxBudgetUsd: 0,
      lint: this.plan.lint === "none" ? [] : [{ name: "lint", command: "" }],
      filters: this.plan.tests === "none" ? [] : [{ name: "tests", command: "" }],
      untouchablePaths: this.protectedPaths,
      checkpoint: { store: this.#mortalStore(), granularity: "turn" },
      turnsDir: "/nowhere/turns",
      hooks: [
        { onEvent: ({ type }) => (type === "review_complete" ? this.#at("judged") : undefined) },
      ],
    });
    const ports = this.#ports(this.#lie(opened, this));
    const running =
      stored === undefined
        ? startRun({ id: "t", title: "Fix the bugs" }, settings, ports)
        : continueRun(stored.checkpoint, settings, ports);
    const result = await Promise.race([running, death]);
    this.#orphan();
    return result && { outcome: result.outcome, message: result.message };
  }

  // --- Moments -----------------------------------------------------------------------------------

  async #at(spot: Spot): Promise<void> {
    if (!this.#isDead) this.#reach(spot);
    if (this.#isDead) await new Promise<never>(() => undefined);
  }

  #reach(spot: Spot): void {
    this.#pass(spot);
    const kill = take(this.#kills, this.#cycle, spot);
    if (kill === undefined) return;
    const actor = this.#working();
    if (kill.what !== "runner" && actor !== undefined) actor.state = "dead";
    if (kill.what === "agent") return;
    this.#isDead = true;
    this.#fate = kill.fate;
    this.#die();
  }

  /** What a person does at a moment, a runner being there or not. */
  #pass(spot: Spot): void {
    const act = take(this.#persons, this.#cycle, spot);
    if (act === undefined) return;
    const mark = `person-${this.#persons.length}`;
    const { tree } = this;
    const isSame = act.deed === "edits the same file";
    actAsPerson(tree, act.deed, mark);
    if (!isSame || textOf(tree, SOURCE).includes(mark)) this.marks.add(mark);
  }

  // --- Agents ------------------------------------------------------------------------------------

  #working(): Actor | undefined {
    return [...this.#actors.values()].find(({ state }) => state === "working");
  }

  #orphan(): void {
    for (const actor of this.#actors.values()) {
      if (actor.state === "waiting") actor.state = "dead";
      if (actor.state !== "working" || this.#fate === "lives") continue;
      for (const { spot, act } of actor.steps.splice(0)) {
        this.#pass(spot);
        act();
      }
      actor.state = "ended";
    }
  }

  #invoker(): AgentInvoker {
    return {
      name: "scripted",
      capabilities: {
        structuredOutput: false,
        choosesSessionId: false,
        reportsCost: true,
        streamsUsage: true,
        resumesSession: false,
      },
      invoke: async (request, { onStart } = {}) => {
        const actor = this.#hire(request);
        this.#actors.set(request.turnId, actor);
        await onStart?.({ pid: 1, startTime: 1, bootId: "boot", host: "here" });
        if (actor.state === "waiting") actor.state = "working";
        this.last = request.role;
        return this.#follow(actor);
      },
      find: async ({ request }) => this.#find(request.turnId),
      adopt: async ({ request }) => {
        const actor = this.#actors.get(request.turnId);
        return actor === undefined ? KILLED : this.#follow(actor);
      },
      end: async ({ request }) => {
        const actor = this.#actors.get(request.turnId);
        if (actor?.state === "working") actor.state = "dead";
      },
    };
  }

  #find(turnId: string): FoundTurn {
    const actor = this.#actors.get(turnId);
    if (actor === undefined || actor.state === "waiting") return { state: "not-started" };
    if (actor.state === "working") return { state: "alive" };
    if (actor.state === "ended") return { state: "ended" };
    return { state: "died", sessionId: undefined, costUsd: 0.1, costSource: "partial" };
  }

  async #follow(actor: Actor): Promise<AgentResult> {
    for (;;) {
      const [next] = actor.steps;
      if (next !== undefined) await this.#at(next.spot);
      if (actor.state === "dead") return KILLED;
      if (next === undefined) break;
      actor.steps.shift();
      next.act();
    }
    actor.state = "ended";
    return { text: actor.text, costUsd: 0.1, costSource: "reported", durationMs: 1 };
  }

  #hire(request: AgentRequest): Actor {
    const actor: Actor = { request, steps: [], state: "waiting", text: "done" };
    const isReviewer = request.role === "reviewer";
    actor.steps.push(...(isReviewer ? this.#review(actor) : this.#code(request)));
    return actor;
  }

  #code({ prompt, turnId }: AgentRequest): Actor["steps"] {
    const cycle = Number(/needs fix (\d)/u.exec(prompt)?.[1] ?? 1);
    this.#cycle = cycle;
    const plan = this.plan.coder[cycle - 1] ?? { by: "tool", resets: false, end: "nothing" };
    const { tree } = this;
    const destroying = (): void => this.#forget();
    const its: Assignment = { tree, turnId, cycle, plan, destroying };
    if (/repositories of their own|links to other repositories/u.test(prompt)) {
      return [
        { spot: "coder halfway", act: () => unnest(its) },
        { spot: "coder ends", act: () => undefined },
      ];
    }
    return [
      { spot: "coder begins", act: () => fix(its) },
      { spot: "coder halfway", act: () => wrapUp(its) },
      { spot: "coder ends", act: () => undefined },
    ];
  }

  /** An agent throws uncommitted work away: no run can keep it from that. */
  #forget(): void {
    const texts = this.texts();
    for (const mark of this.marks) {
      if (texts.some((text) => text.includes(mark))) this.marks.delete(mark);
    }
  }

  /** All that lies in the tree. */
  texts(): readonly string[] {
    return filesOf(this.tree.dir).map((path) => readFileSync(path, "utf8"));
  }

  #review(actor: Actor): Actor["steps"] {
    const { tree, plan } = this;
    const last = plan.coder.length;
    // What is edited from here on is its step's: undone, kept and told.
    this.given = this.#read();
    return [
      {
        spot: "reviewer begins",
        act: () => {
          const text = textOf(tree, SOURCE);
          const missing = [...plan.coder.keys()].find((n) => !text.includes(fixOf(n + 1)));
          actor.text =
            missing === undefined
              ? `APPROVED: all ${last} are fixed\n`
              : `ISSUE:\nSEVERITY: major\nDESCRIPTION: needs fix ${missing + 1}\n`;
        },
      },
      {
        spot: "reviewer halfway",
        act: () => meddle(tree, actor.request.turnId, plan.reviewer),
      },
      { spot: "reviewer ends", act: () => undefined },
    ];
  }

  // --- The rest of the world ---------------------------------------------------------------------

  #mortalStore(): CheckpointStore {
    const store = this.#store;
    return {
      ...store,
      save: async (checkpoint) => {
        if (this.#isDead) await new Promise<never>(() => undefined);
        await store.save(checkpoint);
        if (checkpoint.turn?.status === "settled") await this.#at("settled");
      },
      remove: async (phaseId) => {
        await store.remove(phaseId);
        this.#isRemoved = true;
      },
    };
  }

  async #around<T>(begins: Spot, ends: Spot, act: () => T | Promise<T>): Promise<T> {
    await this.#at(begins);
    const value = await act();
    await this.#at(ends);
    return value;
  }

  #ports(repository: LoopRepository): Ports {
    return {
      repository: {
        ...repository,
        commit: (commit) =>
          this.#around("commit begins", "commit ends", () => {
            this.last = "commit";
            return repository.commit(commit);
          }),
        snapshot: (request) =>
          this.#around("snapshot begins", "snapshot ends", () => repository.snapshot(request)),
        putBack: (contents, seen) =>
          this.#around("undo begins", "undo ends", () => repository.putBack(contents, seen)),
      },
      runCheck: async ({ name }) => {
        const isLint = name === "lint";
        await this.#at(isLint ? "lint begins" : "tests begin");
        if (isLint) {
          this.last = "lint";
          if (this.plan.lint === "formats") format(this.tree);
        } else this.checked = this.#read();
        await this.#at(isLint ? "lint ends" : "tests end");
        return { status: "passed", output: "" };
      },
      waitUntil: async (_until, waitedMs) => ({ waitedMs, isOver: true }),
    };
  }

  /** All files as git would name what is in them. */
  #read(): ReadonlyMap<string, string> {
    const { dir } = this.tree;
    return new Map(filesOf(dir).map((path) => [relative(dir, path), blobOf(readFileSync(path))]));
  }
}

function take<T extends { readonly cycle: number; readonly spot: Spot }>(
  from: T[],
  cycle: number,
  spot: Spot,
): T | undefined {
  const at = from.findIndex((each) => each.cycle === cycle && each.spot === spot);
  return at === -1 ? undefined : from.splice(at, 1)[0];
}

function filesOf(dir: string): readonly string[] {
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    if (entry.name === ".git") return [];
    const path = join(dir, entry.name);
    return entry.isDirectory() ? filesOf(path) : [path];
  });
}

function blobOf(bytes: Buffer): string {
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
