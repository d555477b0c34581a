"""What planning an act looks at: the run, its records, and how things stand on disk."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from evaltui.models import CaseResult, CaseSpec, Judgement, RunInfo, Section, Target
from evaltui.redaction import SecretScanner
from evaltui.review.answering import under_answers_of_today
from evaltui.review.chain_index import CaseChains
from evaltui.review.chains import ChainState
from evaltui.review.context import FolderReview, ReviewContext, SectionReview
from evaltui.review.judging import judge_case
from evaltui.review.links import Family
from evaltui.store.records import CachedAnswer, CaseRecord


class ReviewBench(Struct, frozen=True):
    """Everything a planner may ask."""

    run: RunInfo
    context: ReviewContext
    scanner: SecretScanner
    read_record: Callable[[int], CaseRecord]
    read_cached: Callable[[str], CachedAnswer | None]

    def case(self, index: int) -> PlannedCase:
        """A case of the run as it stands now."""
        record = self.read_record(index)
        view = self.context.section(record.spec.section)
        case = view.cases.get(record.spec.case_id)
        result = under_answers_of_today(record.result, case, self.context.run_id)
        judgement = judge_case(record.spec, record.result, self.context)
        return PlannedCase(self, record.spec, result, judgement, view)


class PlannedCase(Struct, frozen=True):
    """A case that an act is about."""

    bench: ReviewBench
    spec: CaseSpec
    result: CaseResult
    judgement: Judgement
    view: SectionReview

    @property
    def section(self) -> Section:
        """The benchmark it belongs to."""
        return self.view.section

    @property
    def folder(self) -> FolderReview:
        """The suite folder it belongs to."""
        return self.view.folder

    @property
    def chains(self) -> CaseChains:
        """The chains that name it."""
        return self.view.cases.get(self.spec.case_id) or CaseChains()

    def target(self, check: str | None = None) -> Target:
        """A target that names this case, and the row it was about."""
        section = self.section
        bare = Target(section.suite, section.benchmark, self.spec.case_id, check)
        digest = self.spec.row_digest
        return replace(bare, row_digest=digest) if digest else bare

    def state(self, target: Target, family: Family, run_id: str | None = None) -> ChainState:
        """The chain of a target of this case."""
        return self.folder.chains.state(target, family, run_id)
