"""The nouns of evaltui: what suites, the runner, the store, reviews and screens exchange.

Values travel as *tagged JSON* text (runtime specification 1.4), so that no number is rounded on
its way. Times are UTC, durations milliseconds, money US dollars as ``Decimal``.
"""

from __future__ import annotations

from decimal import Decimal
from enum import StrEnum

from msgspec import Struct, field


class Outcome(StrEnum):
    """What a case came to."""

    PASS = "pass"
    FAIL = "fail"
    REVIEW = "review"
    ERROR = "error"
    SUSPENDED = "suspended"
    SKIPPED = "skipped"


class FailureClass(StrEnum):
    """Why a case is not a pass."""

    SEMANTIC = "semantic"
    INSTRUMENT = "instrument"
    MALFORMED = "malformed"
    INFRASTRUCTURE = "infrastructure"
    FIXTURE = "fixture"
    SIDE_EFFECT = "side_effect"
    PROGRAM = "program"


class Gate(StrEnum):
    """A rule that can fail a run; the first group fails by default, the last three report."""

    FAIL = "fail"
    DRIFT = "drift"
    NEW = "new"
    EXPIRED = "expired"
    UNREVIEWED = "unreviewed"
    CONFLICT = "conflict"
    INSTRUMENT = "instrument"
    SUSPENDED = "suspended"
    REMOVED = "removed"
    BLOCKED = "blocked"
    COVERAGE = "coverage"
    UNSTABLE = "unstable"
    REVISED = "revised"
    NEAR = "near"


class Mode(StrEnum):
    """Where answers came from. All but ``live`` are canned."""

    LIVE = "live"
    MOCK = "mock"
    SCRIPTED = "scripted"
    REPLAY = "replay"


class Action(StrEnum):
    """What a person can decide."""

    ACCEPT_BASELINE = "accept_baseline"
    WIDEN_TOLERANCE = "widen_tolerance"
    WAIVE = "waive"
    RENEW = "renew"
    APPROVE_ESCALATION = "approve_escalation"
    DENY_ESCALATION = "deny_escalation"
    REVISE_FIXTURE = "revise_fixture"
    RETRY_INFRASTRUCTURE = "retry_infrastructure"
    FIX_ADAPTER = "fix_adapter"
    BLOCK_RELEASE = "block_release"
    RELINK = "relink"
    ANNOTATE = "annotate"
    REVERT = "revert"


class Cause(StrEnum):
    """Why a value moved, named before it is accepted."""

    SEMANTIC_REGRESSION = "semantic_regression"
    INTENDED_REQUIREMENT_CHANGE = "intended_requirement_change"
    QUESTION_OR_PROJECTION_CHANGE = "question_or_projection_change"
    PROVIDER_OR_MODEL_CHANGE = "provider_or_model_change"
    FIXTURE_DEFECT = "fixture_defect"
    INFRASTRUCTURE_MISCLASSIFIED = "infrastructure_misclassified"
    INITIAL = "initial"
    OTHER = "other"


class CheckKind(StrEnum):
    """The first word of a check id."""

    ASSERT = "assert"
    EXPECT = "expect"
    SNAPSHOT = "snapshot"
    QUESTION = "question"
    EXPECTATION = "expectation"


class CheckState(StrEnum):
    """What the suite alone says of a check; a snapshot is ``compared`` until it is judged."""

    PASS = "pass"
    FAIL = "fail"
    ERROR = "error"
    COMPARED = "compared"


class Section(Struct, frozen=True):
    """One benchmark (or eval, or fixture file) of a run."""

    number: int
    kind: str
    suite: str
    """Suite file relative to the folder that holds its ``decisions/``."""
    folder: str
    """Absolute path of that folder."""
    benchmark: str
    suite_digest: str
    dataset_digest: str
    cases: int


class CaseSpec(Struct, frozen=True):
    """A case before it runs. ``index`` counts from 0 over the whole run."""

    index: int
    section: int
    case_id: str
    row_digest: str
    row: str
    """The dataset row as natural JSON text."""
    slices: tuple[str, ...] = ()
    """Names such as ``lang=fr``."""


class AttemptRecord(Struct, frozen=True):
    """One HTTP try of a call (or one canned try that stands for it)."""

    number: int
    status: int | None
    wait_ms: float
    latency_ms: float
    request_id: str | None = None
    error: str | None = None
    bytes_digest: str | None = None


class CallRecord(Struct, frozen=True):
    """One request to a provider as the program sees it."""

    number: int
    capability: str
    provider: str
    """Configured name, e.g. ``Writer``."""
    vendor: str
    model: str | None
    """The model asked for; ``answered_by`` is the one that answered."""
    answered_by: str | None
    cache_key: str
    cache_hit: bool
    input: tuple[tuple[str, str], ...]
    """(role, text) pairs; for a judge ``subject`` and ``rubric NAME``."""
    output: str | None
    """Tagged JSON, or None when there was no answer."""
    error: str | None
    failure_class: FailureClass | None
    kind: str | None
    started_ms: float
    """Since the start of the case."""
    latency_ms: float
    input_tokens: int | None = None
    output_tokens: int | None = None
    cost: Decimal | None = None
    raw: str | None = None
    """The reply as received, where it is kept; ``altered`` when redacted."""
    altered: bool = False
    raw_request: str | None = None
    """The body of the request, where exchanges are recorded; never its headers."""
    judge: str | None = None
    judge_attempt: int = 0
    parent: int | None = None
    """The call this one repeats: the first attempt of a resampled judge."""
    scope: str = ""
    """The conversations around the call, outermost first: ``Answer > Rewrite``."""
    attempts: tuple[AttemptRecord, ...] = ()


class JudgeAttempt(Struct, frozen=True):
    """One declared repeat of an ``expect``."""

    number: int
    verdict: str
    """Display form, e.g. ``Fail("too long")``."""
    passed: bool


class CheckResult(Struct, frozen=True):
    """What a suite says of one check, before baselines and decisions are looked at."""

    id: str
    kind: CheckKind
    state: CheckState
    message: str = ""
    value: str | None = None
    """Tagged JSON of what can become a baseline: a snapshot's value or a Score verdict."""
    key: str | None = None
    """The snapshot key."""
    verdict: str | None = None
    rubric: str | None = None
    threshold: str | None = None
    attempts: tuple[JudgeAttempt, ...] = ()
    source_line: int | None = None


class CaseError(Struct, frozen=True):
    """Why a case has no answer."""

    failure_class: FailureClass
    kind: str
    """Finer than the class: ``timeout``, ``auth``, ``type_error``, ..."""
    message: str
    next_action: str = ""


class Suspension(Struct, frozen=True):
    """A case waits for a person."""

    name: str
    """The escalation target, or ``judge:NAME`` for an undecided judge."""
    reason: str
    arguments: str
    """Natural JSON, for display."""
    arguments_digest: str
    occurrence: int
    """0-based within the case, over escalations of the same name and arguments."""


class GivenAnswer(Struct, frozen=True):
    """An escalation that a person had answered when the case came to it."""

    escalation: Suspension
    told: str
    """What the program was told, as ``evaltui.review.answering.told`` writes it."""


class CaseResult(Struct, frozen=True):
    """What running one case came to."""

    index: int
    checks: tuple[CheckResult, ...] = ()
    output: str | None = None
    """Tagged JSON of what ``run:`` bound (a record by name)."""
    error: CaseError | None = None
    suspension: Suspension | None = None
    denied: str | None = None
    """Set when a person stopped the case: ``denied by NAME: note``."""
    calls: tuple[CallRecord, ...] = ()
    instrument: str = ""
    """Canonical JSON of what measured; empty when no provider took part."""
    mode: Mode = Mode.LIVE
    started_at: str = ""
    latency_ms: float = 0.0
    skipped: str | None = None
    """Why it was not run, when it was not."""
    answers: tuple[GivenAnswer, ...] = ()
    """The decisions of people under which it came to this, in the order they were asked for."""


class CheckJudgement(Struct, frozen=True):
    """A check in the light of its baseline, the live decisions and the policy."""

    id: str
    outcome: Outcome
    message: str
    gate: Gate | None = None
    old: str | None = None
    """Tagged JSON of the old value."""
    old_label: str = ""
    """Where the old value comes from, e.g. ``accepted by ana until 2027-01-31``."""
    delta: str = ""
    """Display of the change: ``+0.03``, ``91% alike``, ``new``."""
    tolerance: str = "0"
    """Effective tolerance, a decimal."""
    policy_tolerance: str = "0"
    decision: str | None = None
    """Id of the live decision in force."""
    acceptable: bool = False
    """Whether ``accept_baseline`` has something to accept here."""
    old_instrument: str | None = None


class Judgement(Struct, frozen=True):
    """What a case means now. Recomputed whenever decisions change."""

    outcome: Outcome
    checks: tuple[CheckJudgement, ...] = ()
    gates: tuple[Gate, ...] = ()
    failure_class: FailureClass | None = None
    kind: str = ""
    failing_check: str = ""
    message: str = ""
    change: str = ""
    shape: str = ""
    """Digest of the shape of the change; equal shapes form a group."""
    waived: bool = False
    covered: bool = False
    """A live decision covers the case: it is not red."""
    settled: bool = False
    """A person has said in this run what happens next (retry, fix, revise, block)."""
    decision: str = ""
    """Short text of the decision in force, e.g. ``demo, 5d``."""
    badges: tuple[str, ...] = ()
    """Such as ``partial``, ``revised``, ``unstable``, ``near``, ``tolerated``, ``expiring``."""
    without_decisions: Outcome | None = None
    """The outcome by the policy alone, when live decisions changed it."""

    @property
    def red(self) -> bool:
        """Whether a person still has to look: not pass, not skipped, not covered."""
        return self.outcome not in (Outcome.PASS, Outcome.SKIPPED) and not self.covered


class CaseSummary(Struct, frozen=True, array_like=True, gc=False):
    """One row of the table: all that sorting, filtering and drawing need, and nothing heavy."""

    index: int
    section: int
    case_id: str
    outcome: Outcome
    slices: tuple[str, ...] = ()
    failure_class: FailureClass | None = None
    kind: str = ""
    check: str = ""
    """The failing check."""
    message: str = ""
    """One line, cut at 200 characters."""
    change: str = ""
    attempts: int = 0
    """Judge attempts of the check that needed most; 0 without a judge."""
    latency_ms: float = 0.0
    cost: Decimal | None = None
    calls: int = 0
    cache_hits: int = 0
    tokens: int = 0
    decision: str = ""
    red: bool = False
    undecided: bool = False
    """Red, and nobody has said yet what happens next."""
    gates: tuple[Gate, ...] = ()
    badges: tuple[str, ...] = ()
    shape: str = ""
    waived: bool = False
    removed: bool = False


class RunInfo(Struct, frozen=True):
    """One execution of suites."""

    id: str
    label: str
    """Short name in the store, e.g. ``r12``."""
    started_at: str
    mode: Mode
    instrument: str
    """For people: provider names, vendors and models asked for."""
    policy_digest: str
    sections: tuple[Section, ...]
    arguments: tuple[str, ...]
    """The command line after ``evaltui``, as asked."""
    project_root: str
    asked: str = ""
    """Canonical JSON of the instruments asked for, which a resumed run must share."""
    filtered: bool = False
    """Only part of the cases was asked for, so a missing case is not a removed one."""
    parent: str | None = None
    """The run this one repeats cases of."""
    replay_of: str | None = None
    commit: str | None = None
    clock: str | None = None
    """The value of EVALTUI_NOW when it set the clock."""
    state: str = "running"
    """``running``, ``finished``, ``interrupted``."""
    finished_at: str | None = None
    problems: tuple[str, ...] = ()
    """Warnings and errors that belong to no case."""
    next_steps: tuple[str, ...] = ()
    imported: str | None = None
    """Where a run comes from that was not run here, such as ``ulx run 3f2a91c07b5de846``."""

    @property
    def mode_word(self) -> str:
        """Where answers came from, for people; of an imported run no more than is known."""
        return mode_word(self.mode, self.imported)


def mode_word(mode: Mode, imported: str | None) -> str:
    """``live``, ``mock`` and so on; ``imported`` or ``imported mock`` of an imported run."""
    if imported is None:
        return str(mode)
    return "imported mock" if mode is Mode.MOCK else "imported"


class RunStarted(Struct, frozen=True):
    """The first event; ``cases`` are in case order."""

    run: RunInfo
    total: int


class CaseStarted(Struct, frozen=True):
    index: int


class CallFinished(Struct, frozen=True):
    index: int
    call: CallRecord


class CaseFinished(Struct, frozen=True):
    """A case is complete; the store has been told, its commit follows within the batch."""

    spec: CaseSpec
    result: CaseResult
    judgement: Judgement
    summary: CaseSummary


class RunFinished(Struct, frozen=True):
    """The last event. ``incomplete`` says why when not every case has an answer."""

    state: str
    incomplete: str | None = None


Event = RunStarted | CaseStarted | CallFinished | CaseFinished | RunFinished


class Target(Struct, frozen=True):
    """What one decision is about. An absent ``check`` means the whole case."""

    suite: str
    benchmark: str
    case_id: str | None
    check: str | None = None
    slice: str | None = None
    row_digest: str | None = None
    instrument: str | None = None
    parent: str | None = None
    """Id of the decision it follows in its chain."""
    old_digest: str | None = None
    new_digest: str | None = None
    old_tolerance: str | None = None
    new_tolerance: str | None = None
    value: str | None = None
    """An escalation's answer as tagged JSON, or the new case id of a relink."""
    note: str | None = None
    escalation: str | None = None
    arguments_digest: str | None = None
    occurrence: int | None = None
    decision: str | None = None
    """The decision a ``renew`` or ``revert`` names."""


class Decision(Struct, frozen=True):
    """A person's recorded act over one or more targets."""

    id: str
    action: Action
    reviewer: str
    created_at: str
    targets: tuple[Target, ...]
    reason: str = ""
    cause: Cause | None = None
    email: str | None = None
    expires_at: str | None = None
    """A day, valid to its end in UTC."""
    run_id: str | None = None
    policy_digest: str | None = None
    scope: str | None = None
    """Escalations: ``once`` or ``until``; ``how`` says ``deny_value`` or ``deny_stop``."""
    how: str | None = None
    source: str | None = None
    requirement: str | None = None
    extra: dict[str, object] = field(default_factory=dict)
    """Members this version does not know, kept as they were."""
