import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CliError } from "../../shared/errors.ts";
import { EXIT, type ExitCode } from "../../shared/exit-codes.ts";
import { exitOfInterrupt, listenForInterrupts } from "../../shared/interrupts.ts";
import type { OutputRecord } from "../../shared/output/record.ts";
import { createReporter, type Reporter } from "../../shared/output/reporter.ts";
import { STREAMS } from "../../shared/streams.ts";
import { type DemoPlace, finish } from "./children.ts";

export interface DemoOptions {
  readonly keep?: true | undefined;
  readonly json?: true | undefined;
}

/** What a demo plays. */
export interface Play {
  play(): Promise<void>;
  /** Leaves no process behind. */
  end(): Promise<void>;
}

/**
 * Plays a demo in a folder of its own, which goes when it ends.
 *
 * @param name - Of its repository.
 */
export async function playDemo(
  name: string,
  { keep, json }: DemoOptions,
  open: (stage: Stage) => Play,
): Promise<ExitCode> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), "quasar-demo-"));
  const reporter = createReporter(STREAMS, { json });
  const interrupts = listenForInterrupts(() => {});
  const place = placeIn(folder, name);
  const demo = open(new Stage(place, reporter, interrupts.signal));
  try {
    await demo.play();
    return interrupts.exitCode() ?? EXIT.ok;
  } catch (error) {
    return exitOfInterrupt(interrupts, error);
  } finally {
    interrupts.stop();
    await demo.end();
    if (keep === true) {
      reporter.report({ type: "step", title: "kept", lines: [place.repository] });
    } else {
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
    }
    reporter.close();
  }
}

function placeIn(folder: string, name: string): DemoPlace {
  const home = join(folder, "home");
  const repository = join(folder, name);
  mkdirSync(home);
  mkdirSync(repository);
  const { PATH = "", TMPDIR, LANG } = process.env;
  const kept = { ...(TMPDIR && { TMPDIR }), ...(LANG && { LANG }) };
  const env = {
    ...kept,
    PATH,
    HOME: home,
    GIT_CONFIG_NOSYSTEM: "1",
    GIT_CONFIG_GLOBAL: "/dev/null",
  };
  return { folder, repository, env };
}

/** Where a demo plays, and whom it tells. */
export class Stage {
  readonly place: DemoPlace;
  readonly signal: AbortSignal;
  readonly #reporter: Reporter;

  constructor(place: DemoPlace, reporter: Reporter, signal: AbortSignal) {
    this.place = place;
    this.signal = signal;
    this.#reporter = reporter;
  }

  /** Begins a step, and says what it shows. */
  tell(title: string, lines: readonly string[]): void {
    this.signal.throwIfAborted();
    this.report({ type: "step", title, lines });
  }

  report(record: OutputRecord): void {
    this.#reporter.report(record);
  }

  async git(...args: string[]): Promise<string> {
    const { exitCode, output } = await finish(this.place, "git", args);
    if (exitCode !== 0) throw new CliError("ERR_STATE", `git ${args.join(" ")} failed`);
    return output.trim();
  }

  /** A repository with these files, in one commit. */
  async makeRepository(files: Readonly<Record<string, string>>, message: string): Promise<void> {
    const { repository } = this.place;
    for (const [name, text] of Object.entries(files)) {
      const path = join(repository, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    await this.git("init", "--quiet", "--initial-branch=main");
    await this.git("config", "user.name", "Quasar demo");
    await this.git("config", "user.email", "demo@localhost");
    await this.git("add", "--all");
    await this.git("commit", "--quiet", `--message=${message}`);
  }

  /** @returns The agent that follows a script, by its name. */
  scriptedAgent(script: object): string {
    const path = join(this.place.folder, "script.json");
    writeFileSync(path, JSON.stringify(script));
    return `scripted:${path}`;
  }
}
