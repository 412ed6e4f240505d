import type { Redactor } from "@quasar/agents/environment";
import type { FindingFacts, LifeFacts, RunFacts, TurnFacts, VerdictFacts } from "./run-facts.ts";

/** The same facts with secrets taken out of every text of agents, people and the repository. */
export function redactFacts(facts: RunFacts, redact: Redactor): RunFacts {
  const { task, reason, verdict, turns, cycles, findings, lives, events, problems, next } = facts;
  return {
    ...facts,
    task: redact(task),
    reason: redact(reason),
    verdict: verdict && redactVerdict(verdict, redact),
    turns: turns.map((turn) => redactTurn(turn, redact)),
    cycles: cycles.map((cycle) => ({
      ...cycle,
      checks: cycle.checks.map((check) => ({
        ...check,
        name: redact(check.name),
        output: redact(check.output),
      })),
    })),
    findings: findings.map((finding) => redactFinding(finding, redact)),
    lives: lives.map((life): LifeFacts => ({ ...life, message: redact(life.message) })),
    events: events.map((event) => ({ ...event, text: redact(event.text) })),
    problems: problems.map(redact),
    next: next.map((step) => ({
      ...step,
      ...(step.shell !== undefined && { shell: redact(step.shell) }),
      ...(step.note !== undefined && { note: redact(step.note) }),
    })),
  };
}

function redactVerdict(verdict: VerdictFacts, redact: Redactor): VerdictFacts {
  const { satisfaction, risk, summary } = verdict;
  return {
    ...verdict,
    satisfaction: redact(satisfaction),
    risk: redact(risk),
    summary: redact(summary),
  };
}

function redactTurn(turn: TurnFacts, redact: Redactor): TurnFacts {
  return { ...turn, denied: turn.denied.map(redact), summary: redact(turn.summary) };
}

function redactFinding(finding: FindingFacts, redact: Redactor): FindingFacts {
  const { severity, description } = finding;
  return { ...finding, severity: redact(severity), description: redact(description) };
}
