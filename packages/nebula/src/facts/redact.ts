import type { Redactor } from "@quasar/agents/environment";
import { redactFacts } from "@quasar/runs/facts";
import type { NebulaFacts, PhaseFacts, PushFacts } from "./nebula-facts.ts";

/** The same facts with secrets taken out of every text of agents, people and the repository. */
export function redactNebulaFacts(facts: NebulaFacts, redact: Redactor): NebulaFacts {
  const { needs, obstacles, decisions, questions, openQuestions, lives, events } = facts;
  return {
    ...facts,
    name: redact(facts.name),
    planReason: redact(facts.planReason),
    push: facts.push && redactPush(facts.push, redact),
    needs: needs.map((need) => ({ ...need, text: redact(need.text) })),
    obstacles: obstacles.map((each) => ({
      ...each,
      message: redact(each.message),
      shells: each.shells?.map(redact),
    })),
    phases: facts.phases.map((phase) => redactPhase(phase, redact)),
    decisions: decisions.map((each) => ({ ...each, reason: redact(each.reason) })),
    questions: questions.map((asked) => ({
      ...asked,
      summary: redact(asked.summary),
      answer: redact(asked.answer),
    })),
    openQuestions: openQuestions.map((asked) => ({
      ...asked,
      summary: redact(asked.summary),
      detail: redact(asked.detail),
      options: asked.options.map(redact),
    })),
    lives: lives.map((life) => ({ ...life, message: redact(life.message) })),
    events: events.map((event) => ({ ...event, text: redact(event.text) })),
    problems: facts.problems.map(redact),
  };
}

function redactPush(push: PushFacts, redact: Redactor): PushFacts {
  return push.status === "refused" ? { ...push, reason: redact(push.reason) } : push;
}

function redactPhase(phase: PhaseFacts, redact: Redactor): PhaseFacts {
  return {
    ...phase,
    title: redact(phase.title),
    reason: redact(phase.reason),
    attempts: phase.attempts.map((each) => ({ ...each, reasons: each.reasons.map(redact) })),
    reworks: phase.reworks.map((each) => ({ ...each, findings: each.findings.map(redact) })),
    warnings: phase.warnings.map(redact),
    runs: phase.runs.map((run) => redactFacts(run, redact)),
  };
}
