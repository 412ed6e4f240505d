import * as v from "valibot";
import { expect, test } from "vitest";
import { LINES as OF_ATLAS } from "./atlas/schemas/index.ts";
import { LINES as OF_QUASAR } from "./quasar/schemas/index.ts";

// One thing has one name in all that --json prints: a key that is not here is a new word, to be chosen with care.

const KEYS = `
  abandonedMs access accounts acknowledged action added admin agent agentPhaseIds agents aliases
  alivePid allFindings allow allowanceUsd allowed allowedSigners answer approved argv artifactPath
  artifacts asked askedAt askedUsd asks assessment atMostUsd attempt attempts autoCheckpoints
  awaiting baseBranch baseSha bootId branch branchPrefix brokenHistory bundle by caches capsUsd
  category chain change changed changedFindings changedPaths changedSettings changes check
  checkResults checked checkpoint checkpointCount checkpointId checkpoints checks choices client
  code coder coderModel command commands commit commitAfter commitBefore commits committed
  committedAt commonDir completedAt completedMs config configSha256 confirmed constraints content
  context copy cost costByCycle costByPhase costByRole costSource costUsd count counts coverage
  crashCount crashType created createdAt criticalPath currentCheckpointId currentIndex currentStep
  cycle cycleCommits cycles data decidedAt decision decisions default denials denied dependsOn depot
  description detail details detectedAt diff dir dryRun durationMs durationText elsewhere end ended
  endedAt endedPids endedRuns endsDaemons epoch estimate event eventCount events evidence exists
  exit exitCode extra failedAttempts failedMs feedback field file fileChanges fileCount fileNumber
  files filesChanged filesSnapshot filesTouched finalSha findings fix fixed format found foundAt
  from fromRunId fromSha fromState fromStatus fromTask gaps gate generation gitHooks goals goesOn
  hasBackup hasEmptySubmodules hasKey hasUnreportedCosts head headSha here history holders home hook
  host how id ignored inFiles index installCommand instructed intervalMs isAskedFirst isChanged
  isDirty isFinished isFolderChanged isHere isInstalled isKept isKnown isNew isNow isOutdated
  isPaused isRegistered isRejected isShortened isStaged isTaken isTotalCapped isTotalGiven
  isVerified isVerifiedTree isWhole isWorkTreeRemoved isWorkedOn items kept keptBranch keptIds key
  keyId keyIds keyIndex keyPath keys kills kind knownUsd landedAt landedCount landedSha landing
  landings landsAfter lane lastAt lastCheckpoint lastCheckpointId lastKnownState lastOutput
  lastState lastTurn leadsTo life likelyUsd limit line lines lives log login loginCommand losses
  machine machines maxAttempts maxBudgetUsd maxCycles maxFixes maxRetries maxTokens maxWorkers meaning
  mergeOrder mergedFrom message metadata minisign missingPhaseIds model modifiedAt n name names
  nebula nebulaId nebulae neededBudgetUsd needs needsHumanReview needsTrust next nextText note
  notify numTurns obstacles onCommit onCrash onPr onPush onReject onStepComplete onValidation
  ontoSha openTurn openUsd options otherSettings outcome output overlaps ownAgents owner pack
  partialOutput passEnv passed pastCount path paths patterns pauseEnds pem phase phaseCount phaseId
  phaseIds phases pid plan planReason policy previousSha256 prices pricesAsOf priority problem
  problems prompt pullRequest push pushReason quarantined question questionId questions readOnlyBy
  reason reasons receipt receiptCertificateSha256 receiptCount receiptId receiptIds receipts
  receiptsDir recommendedAction record recovered recoveries recovery redactionSet ref refCount
  removed repeatedTurnCount repeatedUsd replaced repoPath report reportedUsd requiredChecks
  requiresNebulae reservedUsd restored results resume resumeCount resumed resumesSession retired
  retries retry retryAt reviewed reviewer reviewerModel revision risk role run runCount runId runIds
  runName runner runs satisfaction savedAt says schema scope script seal sequence sessionId setting
  settings setup severity sha sha256 shell shortages sigAlg sigVersion signal signature signed
  signedBy sizeBytes skipped snapshot snapshots source specRevision spentUsd ssh startTicks
  startedAt stat state statement status stderrBytes stderrSha256 stdoutBytes stdoutSha256 step
  stepBase stepCount stepNames stepResults stepRuns stepType steps stop stopped stops streamsUsage
  structuredOutput summary supervisorFailures surroundings tail task taskCertificateSha256 taskCount
  taskId taskIds taskRecord tasks template templateSteps templates text tier time timeoutMs tipSha
  title toSha toState toStatus totalUsd transitions tree treeAfter treeBefore treeSha trigger turn
  turnBudgetUsd turnCount turnId turnRole turns type unchangedCount uncommitted uncommittedCount
  unknownUsd unmetered unusable unwritten updatedAt url v validation validationCommand value
  valueBefore valueNow variables verdict verdicts verifications verifiedAt verify version waitMs
  waitsFor warnings wasValidating wave waveCount what withAgent work workTree workTrees worker
  workingOn workspace workspaceId workspaces
`;

interface Entry {
  readonly key: string;
  readonly schema: v.GenericSchema;
  readonly path: string;
}

/** Every key of a schema, at any depth. */
function* entriesOf(schema: v.GenericSchema, path: string): Generator<Entry> {
  const { entries, options, item, wrapped, value } = schema as Partial<{
    readonly entries: Readonly<Record<string, v.GenericSchema>>;
    readonly options: readonly unknown[];
    readonly item: v.GenericSchema;
    readonly wrapped: v.GenericSchema;
    readonly value: v.GenericSchema;
  }>;
  for (const [key, inner] of Object.entries(entries ?? {})) {
    yield { key, schema: bare(inner), path: `${path}.${key}` };
    yield* entriesOf(inner, `${path}.${key}`);
  }
  if (schema.type === "union") {
    for (const option of options ?? []) yield* entriesOf(option as v.GenericSchema, path);
  }
  for (const inner of [item, wrapped]) if (inner !== undefined) yield* entriesOf(inner, path);
  if (schema.type === "record" && value !== undefined) yield* entriesOf(value, path);
}

function bare(schema: v.GenericSchema): v.GenericSchema {
  return "wrapped" in schema ? bare(schema.wrapped as v.GenericSchema) : schema;
}

function typeOf(schema: v.GenericSchema): string {
  if ("options" in schema) {
    const [option] = schema.options as readonly unknown[];
    return typeof option === "object" ? typeOf(option as v.GenericSchema) : typeof option;
  }
  if ("item" in schema) return `list of ${typeOf(schema.item as v.GenericSchema)}`;
  return "literal" in schema ? typeof schema.literal : schema.type;
}

/** What the kinds of values say of their units, see shared/schemas/kinds.ts. */
function unitOf(schema: v.GenericSchema): string {
  const about = v.getDescription(schema) ?? "";
  if (about.startsWith("US dollars.")) return "Usd";
  if (about.startsWith("Milliseconds.")) return "Ms";
  if (about.startsWith("RFC 3339.")) return "At";
  return /\bbytes\b/iu.test(about) ? "Bytes" : "";
}

const LINES = [OF_QUASAR, OF_ATLAS].flatMap((lines) => Object.values(lines).flat());
const ENTRIES = LINES.flatMap((line) => [...entriesOf(line, line.entries.type.literal)]);

test("every key of every line is in the table, and no other is", () => {
  const known = KEYS.trim().split(/\s+/u);
  expect([...new Set(ENTRIES.map(({ key }) => key))].toSorted()).toEqual(known.toSorted());
});

test("a key says the unit of its value, and no other key ends in one", () => {
  const wrong = ENTRIES.filter(({ key, schema }) => {
    if (key === "time") return unitOf(schema) !== "At";
    const [, said = ""] = /(Usd|Ms|At|Bytes)$/u.exec(key) ?? [];
    return said !== unitOf(schema);
  });
  expect([...new Set(wrong.map(({ path }) => path))]).toEqual([]);
});

test("a key has values of one type wherever it is", () => {
  const types = new Map<string, Set<string>>();
  for (const { key, schema } of ENTRIES) {
    types.set(key, (types.get(key) ?? new Set()).add(typeOf(schema)));
  }
  const several = [...types].filter(([, all]) => all.size > 1).map(([key]) => key);
  expect(several).toEqual([]);
});

test("every line begins with v and type", () => {
  const heads = LINES.map(({ entries }) => Object.keys(entries).slice(0, 2));
  expect(new Set(heads.map((head) => head.join(" ")))).toEqual(new Set(["v type"]));
});
