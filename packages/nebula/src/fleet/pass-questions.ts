import * as v from "valibot";
import { allQuestions, keepAnswer, readAnswer } from "../people/question-files.ts";
import { type Lease, type NebulaPort, type QuestionReply, readReply } from "../port/index.ts";
import type { AgentQuestion } from "../question.ts";
import type { NebulaHome } from "../state/home.ts";
import { askedSchema, keepAsked } from "./questions.ts";
import { pause, type Reach, whenReached } from "./reach.ts";

export interface QuestionPassOptions {
  readonly port: Pick<NebulaPort, "record" | "wait" | "status">;
  readonly reach: Reach;
  readonly lease: Pick<Lease, "nebula" | "work" | "epoch">;
  /** Of the nebula, on this machine. */
  readonly home: NebulaHome;
  readonly runId: string;
  /** Ends it: the run is another worker's, or has come to its end. */
  readonly signal: AbortSignal;
}

/** Has the conductor know what the agents of a run ask, by whom people see it, and the run know what is answered. */
export class QuestionPass {
  readonly #options: QuestionPassOptions;
  /** By question: resolves once the conductor's inbox has it. */
  readonly #told = new Map<string, Promise<void>>();

  constructor(options: QuestionPassOptions) {
    this.#options = options;
  }

  /** Passes on what has been asked since, and what an earlier worker of this machine may have left. */
  look(): void {
    const { home, runId } = this.#options;
    for (const question of allQuestions(home)) {
      const { id } = question;
      if (question.runId !== runId || this.#told.has(id)) continue;
      if (readAnswer(home, id) !== undefined) continue;
      const told = this.#tell(question);
      this.#told.set(id, told);
      told.then(() => this.#hear(id)).catch(() => {});
    }
  }

  /** Resolves once the conductor can know all that was asked. */
  async told(): Promise<void> {
    this.look();
    await Promise.all(this.#told.values());
  }

  #tell({ ...value }: AgentQuestion): Promise<void> {
    const { port, reach, lease, signal } = this.#options;
    return whenReached(
      async () => {
        await port.record(lease, { as: "note", key: value.id, value });
      },
      { signal, reach },
    );
  }

  /** Until the conductor has taken the question nobody can answer it. */
  async #hear(id: string): Promise<void> {
    const { port, reach, lease, home, signal } = this.#options;
    for (;;) {
      const ask = () => port.wait(lease.nebula, `question/${id}`, signal);
      const reply = await whenReached(ask, { signal, reach });
      if (readAnswer(home, id) !== undefined) return;
      if (reply !== undefined) {
        const found = readReply(`question/${id}`, reply as never);
        const { text, agent } = found.reply as QuestionReply;
        const by = agent === "" ? ({ by: "person" } as const) : ({ by: "agent", agent } as const);
        keepAnswer(home, { question: id, ...by, text, at: new Date().toISOString() });
        return;
      }
      await this.#read();
      await pause(signal);
    }
  }

  /** What the conductor has taken is in no inbox any more, and offered with the run. */
  async #read(): Promise<void> {
    const { port, reach, lease, home, runId, signal } = this.#options;
    const status = () => port.status(lease.nebula);
    const { offers } = await whenReached(status, { signal, reach });
    const offer = offers.find((each) => each.work === lease.work && each.runId === runId);
    const found = v.safeParse(v.object({ asked: askedSchema }), offer?.task);
    if (found.success) keepAsked(home, found.output.asked);
  }
}
