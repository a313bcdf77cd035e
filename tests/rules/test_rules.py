"""rules.toml: what it may say, and how it is told what is wrong, all at once."""

from __future__ import annotations

from datetime import date
from decimal import Decimal
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from attribution.rules import CONDITIONS, RuleBook, alike, coded, holds, read_rules
from attribution.rules.conditions import glob_pattern
from attribution.rules.files import digest_of
from attribution.rules.records import Argument, Ask, Not
from schemas.dimensions import DIMENSIONS, STAGES
from schemas.faults import InputError

WHOLE = """
[[account]]
id = "012345670199"
assign = { project = "platform" }

[dimension.project]
tags = ["project", "proj"]
values = { "atlas-7b" = ["Atlas-7B", "a7"] }

[dimension.team]

[tags]
first = "bill"

[[rule]]
name = "sandbox"
since = 2026-01-01
when = { SubAccountId = "012345670123", ServiceName = { glob = "Amazon*" }, x_pool = "a", "tag:Cost-Pool" = "b" }
assign = { project = "A7", stage = "pretrain" }
because = "agreed"

[[split]]
name = "support"
when = { cost_element = "operations" }
across = ["project", "team"]
by = "cost"
to = ["a7"]
"""


def faults(text: str) -> str:
    with pytest.raises(InputError) as caught:
        read_rules(text)
    return "\n".join(str(fault) for fault in caught.value.faults)


def rule(body: str) -> str:
    return f'[[rule]]\nname = "r"\n{body}\n'


def split(body: str, name: str = "s", when: str = 'project = "p"', across: str = '["project"]') -> str:
    return f'[[split]]\nname = "{name}"\nwhen = {{ {when} }}\nacross = {across}\n{body}\n'


def test_a_whole_file() -> None:
    book = read_rules(WHOLE)
    assert book.names == (*DIMENSIONS, "team")
    assert book.accounts == {"012345670199": {"project": "platform"}}
    assert book.rules[0].assign == {"project": ("atlas-7b",), "stage": ("pretraining",)}
    assert (book.rules[0].since, book.rules[0].until) == (date(2026, 1, 1), None)
    assert book.splits[0].to == ("atlas-7b",)
    assert book.splits[0].within == "month"
    assert book.first == "bill"
    assert book.columns == ("x_pool",)
    assert book.tag_keys == ("Cost-Pool",)
    assert book.dimensions["team"].tags == ("team",)


def test_nothing_said_is_a_rule_book_with_the_shipped_stages() -> None:
    book = read_rules("")
    assert book.names == DIMENSIONS
    for code, aliases in STAGES.items():
        assert {book.dimensions["stage"].canonical(alias) for alias in (code, code.upper(), *aliases)} == {code}


def test_a_workspace_may_rename_a_stage_and_keeps_its_aliases() -> None:
    stage = read_rules('[dimension.stage]\nvalues = { "Pretraining" = ["PT"] }\n').dimensions["stage"]
    assert {stage.canonical(word) for word in ("pt", "pre-train", "预训练", "pretraining")} == {"Pretraining"}


def test_an_unknown_value_stays_as_written() -> None:
    assert read_rules(WHOLE).dimensions["project"].canonical("  New One ") == "New One"


def test_the_digest_is_of_what_is_said_not_of_how() -> None:
    digest = read_rules(WHOLE).digest
    assert read_rules("# a comment\n" + WHOLE.replace('first = "bill"', "first='bill'")).digest == digest
    assert read_rules(WHOLE.replace('"agreed"', '"agreed twice"')).digest != digest


def test_a_file_is_read_with_its_byte_order_mark_and_named(tmp_path: Path) -> None:
    path = tmp_path / "rules.toml"
    path.write_bytes(b"\xef\xbb\xbf" + WHOLE.encode())
    assert read_rules(path).digest == read_rules(WHOLE).digest
    path.write_bytes(b"\xff")
    with pytest.raises(InputError, match=r"rules\.toml: not UTF-8"):
        read_rules(path)
    with pytest.raises(InputError, match=r"gone\.toml: cannot be read"):
        read_rules(tmp_path / "gone.toml")


def test_the_message_of_the_design() -> None:
    said = faults('[[rule]]\nname = "gpus"\nwhen = { resource_idd = "x" }\nassign = { project = "p" }\n')
    assert said.startswith(
        'rules.toml: rule "gpus": unknown condition "resource_idd".\n  Known: any FOCUS column, tag:<key>'
    )
    assert said.endswith('Did you mean "ResourceId"?')


def test_all_faults_come_at_once() -> None:
    said = faults(rule('since = "x"\nwhen = { Foo = 1 }\nassign = { proj = "p" }\nwhat = 1') + "[[splitt]]\n")
    for part in ("since must be a date", 'condition "Foo"', 'dimension "proj"', 'setting "what"', 'section "splitt"'):
        assert part in said


def test_a_syntax_error_names_its_line() -> None:
    assert "line 2" in faults("[tags]\nfirst = \n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[account]]\nid = 12345\nassign = { project = 'p' }", "id must be text, not a number.\n  Put it in quotes."),
        ("[[account]]\nid = '1'", "account 1: assign is missing."),
        ("[[account]]\nid = ['1', '1']\nassign = { project = 'p' }", 'account "1" is given twice'),
        ("[account]\nid = '1'", "account must be written as [[account]]"),
        ("[tags]\nfirst = 'csvs'", 'first = "csvs" is not known'),
        ("[dimension.Team]", "cannot name a dimension"),
        ("[dimension.source]", "cannot name a dimension"),
        ("[dimension.project]\ntag = ['p']", 'unknown setting "tag".\n  Known: tags, values, first, other_below.'),
        ("[dimension.project]\nvalues = { a = ['x'], b = ['X '] }", 'alias "X " stands for both "a" and "b"'),
        ("[dimension.project]\nvalues = { a-b = [], A_B = [] }", 'values "a-b" and "A_B" are one'),
        ("[dimension.project]\nvalues = { a = ['b'], b = [] }", 'alias "b" stands for both'),
        ("[[rule]]\nwhen = { source = 'a' }\nassign = { project = 'p' }", "rule 1: name is missing"),
        (rule("when = {}\nassign = { project = 'p' }"), "when is empty"),
        (rule("assign = { project = 'p' }"), "when is missing"),
        (rule("when = { source = 'a' }"), "assign is missing"),
        (rule("when = { source = 'a' }\nassign = {}"), "assign is empty"),
        (rule("when = { source = 'a' }\nassign = { project = '(tag conflict)' }"), "a rule says whose it is"),
        (rule("when = { source = 'a' }\nassign = { project = 7 }"), "assign: project must be text, not a number"),
        (rule("when = { source = 'a' }\nassign = { project = ' ' }"), "assign: project is blank"),
        (rule("when = { source = 'a' }\nassign = { project = 'p' }") * 2, "the name is used twice"),
        (rule("since = 2026-02-01\nuntil = 2026-02-01"), "since 2026-02-01 is not before until 2026-02-01"),
        (rule("when = { source = 'a' }\nassign = { project = 'p' }\nsince = 2026-02-01T00:00:00"), "not a time"),
        (rule("when = { ServiceName = { glob = 'x', globb = 'y' } }"), 'unknown word "globb"'),
        (rule("when = { ServiceName = { regex = '(' } }"), "does not compile: unclosed group."),
        (rule("when = { ServiceName = { regex = '(?=x)' } }"), "compile: look-around, including"),
        (rule("when = { ServiceName = { regex = 'a{99999999}' } }"), "compile: Compiled regex exceeds size limit of"),
        (rule("when = { ServiceName = { any_of = 'x' } }"), "any_of takes a list"),
        (rule("when = { ServiceName = { any_of = [] } }"), "any_of takes a list that is not empty, not an empty one"),
        (rule("when = { ServiceName = { present = 1 } }"), "present takes true or false, not a number"),
        (rule("when = { ServiceName = { from = 2026-01-01 } }"), "from asks a date"),
        (rule("when = { ServiceName = {} }"), "ServiceName: the condition is empty"),
        (rule("when = { ServiceName = ['a'] }"), "takes text, not a list"),
        (rule("when = { usage_date = '2026-01-01' }"), "takes a date without a time and without quotes"),
        (rule("when = { usage_date = { glob = '2026*' } }"), "glob asks text"),
        (rule("when = { EffectiveCost = 3 }"), '"EffectiveCost" is a number'),
        (rule("when = { ChargePeriodEnd = 2026-01-01 }"), '"ChargePeriodEnd" is an instant'),
        (rule("when = { EffectiveCost = { sign = 'minus' } }"), "sign takes one of the known words"),
        (rule("when = { EffectiveCost = { from = 3 } }"), "conditions can ask its sign alone"),
        (rule("when = { ServiceName = { sign = 'negative' } }"), 'unknown word "sign"'),
        (rule("when = { SubAccountId = 12345 }"), 'Put it in quotes: "12345"'),
        (rule("when = { 'tag:' = 'x' }"), '"tag:" lacks the key'),
        (rule("when = { any = [] }"), "any must be a list of tables"),
        (rule("when = { not = {} }"), "not is empty"),
        (rule("when = { all = [{ Foo = 'x' }] }"), 'unknown condition "Foo"'),
        (split("by = 'job'"), 'unknown word for by "job".\n  Known: even, fixed, cost, usage, jobs, measure:<csv>.'),
        (split("by = 'measure:'"), "lacks the file"),
        (split("by = 'usage'"), "needs either of or measure"),
        (split("by = 'usage'\nmeasure = 'hours'"), 'measure = "hours" is not known'),
        (split("by = 'usage'\nof = { ConsumedUnit = 'GB' }\nmeasure = 'gpu_hours'"), "needs either of or measure"),
        (split("by = 'cost'\nof = { ConsumedUnit = 'GB' }"), 'of goes with by = "usage", not with "cost"'),
        (split("by = 'jobs'\nidle = 'drop'"), 'idle = "drop" is not known.\n  Known: keep, even, use, owner.'),
        (split("by = 'jobs'\nto = ['a']"), "to means nothing here"),
        (split("by = 'even'\ninside = ['project']"), "both across and inside"),
        (split("by = 'cost'", across="[]"), "across names no dimension"),
        ("[jobs]\nteam = ['x']", 'unknown dimension "team"'),
        ("[jobs]\nstage = [{ regex = '(a)' }]", "take is missing"),
        ("[jobs]\nstage = [{ take = 'comment', regex = '(a' }]", "does not compile"),
        (split("by = 'evn'"), 'unknown word for by "evn"'),
        (split(""), "by is missing"),
        (split("by = 'cost'", across="['projct']"), 'unknown dimension "projct"'),
        (split("by = 'cost'\nwithin = 'week'"), 'within = "week" is not known.\n  Known: month, day.'),
        (split("by = 'cost'\nto = ['idle']"), 'to names "idle", which is nobody'),
        (split("by = 'cost'\nto = []"), "to names nobody"),
        (split("by = 'cost'\nweights = { a = 1 }"), 'weights goes with by = "fixed"'),
        (split("by = 'fixed'"), "needs weights"),
        (split("by = 'fixed'\nweights = { a = 0.5, b = 0.49 }"), "the weights sum to 0.99"),
        (split("by = 'fixed'\nweights = { a = 0.5, b = 1 }"), "the weights sum to 1.5"),
        (split("by = 'fixed'\nweights = { a = 0.5, b = 0.5000000000001 }"), "a weight has more than 12 decimals"),
        (split("by = 'fixed'\nweights = { a = 0, b = 0 }"), "every weight is 0"),
        (split("by = 'fixed'\nweights = { a = -1 }"), "must not be -1"),
        (split("by = 'fixed'\nweights = { a = inf }"), "must not be Infinity"),
        (split("by = 'fixed'\nweights = { a = '1' }"), "must be a number, not text"),
        (split("by = 'fixed'\nweights = { unallocated = 1 }"), 'weights names "unallocated"'),
        (split("by = 'fixed'\nweights = { a = 1 }", across="['project', 'stage']"), "exactly one dimension"),
        (split("by = 'cost'\nto = ['p']"), '"p" would give to itself'),
        (split("by = 'cost'") + split("by = 'cost'\nto = ['p']", "t", "project = 'q'"), 'was emptied by split "s"'),
        (split("by = 'cost'", "r"), ""),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(text: str, said: str) -> None:
    if said:
        assert said in faults(text)
    else:
        assert isinstance(read_rules(text), RuleBook)


def test_a_pool_that_is_emptied_in_part_may_receive() -> None:
    partly = split("by = 'cost'", when="project = 'p', ServiceName = 'Kubernetes'")
    assert len(read_rules(partly + split("by = 'cost'\nto = ['p']", "t", "project = 'q'")).splits) == 2


def test_only_what_a_split_shares_across_can_be_emptied() -> None:
    service = split("by = 'cost'\nto = ['p']", when="ServiceName = 'p'")
    likeness = split("by = 'cost'\nto = ['p']", "t", "project = { glob = 'p' }")
    assert [len(read_rules(text).splits) for text in (service, likeness)] == [1, 1]


def test_a_mark_of_a_regex_is_a_letter_to_a_glob() -> None:
    assert read_rules(rule("when = { ServiceName = { glob = 'gpu(*' } }\nassign = { project = 'p' }")).asks


def test_whole_numbers_and_parts_of_one_are_weights() -> None:
    weights = read_rules(split("by = 'fixed'\nweights = { a = 0.1, b = 0.9 }")).splits[0].weights
    assert weights == {"a": Decimal("0.1"), "b": Decimal("0.9")}
    assert read_rules(split("by = 'fixed'\nweights = { a = 2, b = 9 }")).splits[0].weights["b"] == 9


def test_azure_ids_are_asked_as_they_are_kept() -> None:
    book = read_rules(rule("when = { ResourceId = '/Subscriptions/S1/VM' }\nassign = { project = 'p' }"))
    assert book.asks == (Ask("ResourceId", "equals", "/subscriptions/s1/vm"),)
    whose = "assign = { project = 'p' }"
    asked = [
        read_rules(rule(f"when = {{ ResourceId = {{ {word} = '/Subscriptions/S1/VM' }} }}\n{whose}")).asks[0]
        for word in ("glob", "regex")
    ]
    assert [ask.argument for ask in asked] == ["/subscriptions/s1/vm", "/Subscriptions/S1/VM"]


def test_every_word_answers_without_a_null() -> None:
    column = coded(pl.Series("c", ["a", None, "", "b"]))
    arguments: dict[str, Argument] = {
        "any_of": ("a",),
        "present": True,
        "missing": True,
        "from": date(2026, 1, 1),
        "to": date(2026, 1, 1),
    }
    for word in CONDITIONS:
        if word not in ("from", "to", "sign"):
            found = holds(Ask("c", word, arguments.get(word, "a")), lambda _: column, 4)
            assert found.null_count() == 0
            assert (
                holds(Not(Ask("c", word, arguments.get(word, "a"))), lambda _: column, 4).to_list()
                == (~found).to_list()
            )


@given(st.text(alphabet="ab*?.[(\\\n", max_size=6), st.text(alphabet="ab*?.[(\\\n", max_size=6))
def test_globs_agree_with_a_plain_matcher(glob: str, text: str) -> None:
    def matches(pattern: str, rest: str) -> bool:
        if not pattern:
            return not rest
        if pattern[0] == "*":
            return any(matches(pattern[1:], rest[cut:]) for cut in range(len(rest) + 1))
        return bool(rest) and pattern[0] in ("?", rest[0]) and matches(pattern[1:], rest[1:])

    assert pl.Series([text]).str.contains(glob_pattern(glob)).item() == matches(glob, text)


QUESTIONS = (
    *(Ask(column, "equals", f"{column}{number}") for column in "abc" for number in range(40)),
    Ask("a", "glob", "a?"),
    Ask("b", "missing", argument=True),
)


@given(
    rows=st.lists(st.tuples(*(st.integers(0, 45) | st.none() for _ in "abc")), min_size=1, max_size=20),
    asked=st.sets(st.sampled_from(QUESTIONS), min_size=1) | st.just(set(QUESTIONS)),
)
def test_rows_are_alike_where_every_question_has_the_same_answer(
    rows: list[tuple[int | None, ...]], asked: set[Ask]
) -> None:
    """Also where there are more questions of one column, or more kinds of rows, than a whole number has bits."""
    columns = {
        name: coded(pl.Series(name, [None if one is None else f"{name}{one}" for one in numbers], dtype=pl.String))
        for name, numbers in zip("abc", zip(*rows, strict=True), strict=True)
    }
    kind = alike(columns[name].asked(ask for ask in asked if ask.column == name) for name in "abc")
    told = zip(*(holds(ask, columns.__getitem__, len(rows)).to_list() for ask in asked), strict=True)
    pairs = set(zip(kind.to_list(), told, strict=True))
    assert len(pairs) == len({number for number, _ in pairs}) == len({answers for _, answers in pairs})


def test_rows_are_alike_by_value_where_each_value_counts() -> None:
    column = coded(pl.Series("a", ["x", None, "y", "x"]))
    first, blank, other, again = alike([], [column]).to_list()
    assert first == again
    assert len({first, blank, other}) == 3


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("rule = 3\n", "rule must be written as [[rule]]"),
        ("rule = [3]\n", "rule must be written as [[rule]]"),
        ('rule = [{ name = "a", when = { Tags = "x" }, assign = { project = "p" } }, 3]\n', "[[rule]]"),
        (rule('when = { any = [{ SkuId = "a" }, 3] }\nassign = { project = "p" }'), "any must be a list of tables"),
        (rule('when = { all = [{ SkuId = "a" }, {}] }\nassign = { project = "p" }'), "all must be a list of tables"),
        (rule("when = { any = [] }\nassign = { project = 'p' }"), "any must be a list of tables"),
        (rule("when = { any = { SkuId = 'a' } }\nassign = { project = 'p' }"), "any must be a list of tables"),
        (rule('when = { BilledCost = { sign = ["negative", "red"] } }\nassign = { project = "p" }'), "sign takes one"),
        (rule('when = { BilledCost = { sign = [] } }\nassign = { project = "p" }'), "sign takes one"),
        (rule('when = { BilledCost = { sign = "zero", above = 3 } }\nassign = { project = "p" }'), "its sign alone"),
    ],
)
def test_one_wrong_thing_in_a_list_is_told_though_the_others_are_right(text: str, says: str) -> None:
    assert says in faults(text)


def fixed(weights: str) -> str:
    return split(f'by = "fixed"\nweights = {{ {weights} }}')


@pytest.mark.parametrize("weights", ["a = 0, b = 1", "a = 0.123456789012, b = 0.876543210988", "a = 3"])
def test_weights_may_be_nothing_for_one_and_have_twelve_decimals(weights: str) -> None:
    assert sum(read_rules(fixed(weights)).splits[0].weights.values()) in (1, 3)


@pytest.mark.parametrize(
    ("weights", "says"),
    [
        ("a = 0.1234567890123, b = 0.8765432109877", "more than 12 decimals"),
        ("a = -1, b = 2", "must not be -1"),
        ("a = 0, b = 0", "every weight is 0"),
        ("a = inf, b = 1", "must not be"),
    ],
)
def test_weights_that_divide_nothing_exactly_are_refused(weights: str, says: str) -> None:
    assert says in faults(fixed(weights))


def test_a_limit_of_small_values_may_be_less_than_one() -> None:
    assert read_rules("[dimension.project]\nother_below = 0.01\n").dimensions["project"].other_below == Decimal("0.01")


@pytest.mark.parametrize("first", ["early", "late"])
def test_an_alias_may_begin_on_the_day_on_which_another_ends(first: str) -> None:
    written = {"early": '[{ alias = "x", until = 2026-03-02 }]', "late": '[{ alias = "x", since = 2026-03-02 }]'}
    second = "late" if first == "early" else "early"
    text = "[dimension.project.values]\n" + "".join(f"{name} = {written[name]}\n" for name in (first, second))
    project = read_rules(text).dimensions["project"]
    told = [project.canonical("x", project.edition(date(2026, 3, day))) for day in (1, 2)]
    assert told == ["early", "late"]
    assert project.edition(None) is None
    both = text.replace("until = 2026-03-02", "until = 2026-03-03")
    assert 'stands for both "early" and "late"' in faults(both) or 'both "late" and "early"' in faults(both)


def test_rows_that_two_questions_answer_differently_are_not_alike() -> None:
    values = coded(pl.Series("x", ["a", "b", "c", "d"]))
    first, second = Ask("x", "equals", "a"), Ask("x", "equals", "b")
    kinds = alike([values.asked([first, second])]).to_list()
    assert kinds[0] != kinds[1]
    assert kinds[2] == kinds[3]
    assert len(set(kinds)) == 3


@pytest.mark.parametrize("name", ["elasticity", "x_pool", "tag:pool", "1st", "Team", "two words"])
def test_what_cannot_name_a_dimension(name: str) -> None:
    assert name in faults(f'[dimension."{name}"]\n')


@pytest.mark.parametrize("limit", ["0", "-1", "true", "nan", "inf", "[1]"])
def test_a_limit_of_small_values_is_an_amount_above_zero(limit: str) -> None:
    assert "other_below must be an amount above 0" in faults(f"[dimension.project]\nother_below = {limit}\n")


def test_a_tag_that_cannot_be_taken_is_told_beside_those_that_can() -> None:
    said = faults('[dimension.team]\ntags = [{ take = "tag:unit", part = 1 }, "team", { take = "ServiceName" }]\n')
    assert "split and part go together" in said
    assert '"ServiceName" is no tag' in said


def test_a_sign_and_another_that_it_must_not_have_hold_together() -> None:
    when = 'when = { BilledCost = { sign = ["negative", "zero"], not = { sign = "zero" } } }'
    (read,) = read_rules(rule(f'{when}\nassign = {{ project = "p" }}')).rules
    look = coded(pl.Series(["negative", "zero", "positive"]))
    assert holds(read.when, lambda _: look, 3).to_list() == [True, False, False]


def test_the_digest_of_files_that_do_not_fit_together_is_one_of_both() -> None:
    assert digest_of([{"a": {"b": 1}}, {"a": [2]}]) != digest_of([{"a": {"b": 1}}])
    assert digest_of([{"a": [2]}, {"a": {"b": 1}}]) != digest_of([{"a": {"b": 1}}, {"a": [2]}])
