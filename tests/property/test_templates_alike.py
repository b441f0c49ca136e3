"""Whatever a template does with texts, the prompt is the one that Transformers renders, and forged markers stay forged."""

from __future__ import annotations

import re
from typing import Any

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from transformers.utils import chat_template_utils as reference

from piecework._chat.engine import markers_in, render
from piecework.errors import ChatError, UnsafeTemplateError
from tests.chats import BOS, EOS, templates

TEXTS = st.text(st.sampled_from("ab AB1-+%{}\n\t\"'<>&éßİς日🚀|/"), max_size=8)

STEPS = (
    "|upper", "|lower", "|title", "|capitalize", "|trim", "|trim('a ')", "|string", "|safe", "|e", "|escape", "|list",
    "|list|join('-')", "|join(x)", "|join('')", "|reverse|join", "|reverse|list|join", "|first", "|last", "|length", "|tojson",
    "|tojson(indent=2)", "|tojson(ensure_ascii=true)", "|indent", "|indent(2, true)", "|indent('> ', blank=true)",
    "|indent(width=x)", "|replace('a', 'bb')", "|replace('a', x)", "|replace('', '.')", "|replace(x, '_', 1)",
    "|truncate(5)", "|truncate(4, true, '…')", "|wordwrap(3)", "|center(9)", "|batch(2)|list", "|slice(2)|list", "|sort|join",
    "|unique|join", "|map('upper')|join", "|map('string')|list", "|select('eq', 'a')|list", "|default('d')", "|d('d', true)",
    "|urlencode", "|striptags", "|wordcount", "|int", "|float", "|abs", "|round", "|min", "|max", "|sum", "|items|list",
    "|dictsort", "|pprint", "|forceescape", "|filesizeformat", "|xmlattr", "|groupby('x')|list",
    "|format(1)", "|format(x)", "|count", "|random_filter",
    ".upper()", ".lower()", ".title()", ".capitalize()", ".swapcase()", ".casefold()", ".strip()", ".strip(x)", ".lstrip()",
    ".rstrip('a\\n')", ".split()", ".split('a')", ".split(x)", ".split('a', 1)|join(x)", ".rsplit('a', 1)[0]", ".splitlines()",
    ".splitlines(true)|join", ".partition('a')", ".rpartition(x)[2]", ".replace('a', x)", ".replace('', x)", ".join(['1', x])",
    ".join('12')", ".removeprefix('a')", ".removesuffix(x)", ".ljust(9, '.')", ".rjust(9)", ".center(8)", ".zfill(7)",
    ".format(x, y=1)", ".format(1)", ".expandtabs(2)", ".isdigit()", ".startswith('a')", ".endswith(x)",
    ".find('a')", ".count('a')", ".index('a')", ".items()", ".keys()|list", ".get('a')", ".a", ".content", "['a']",
    "[0]", "[-1]", "[9]", "[1:]", "[:2]", "[::-1]", "[::2]", "[1:-1]", "[x]", "['upper']()", "[0:1]|string",
    " ~ x", " ~ 1.5", " ~ [x, 1]", " ~ {'k': x}", " ~ none", " + 'a'", " + x", " + 1", " + [x]", " * 2", " * x", " % x",
    " % (x, 1)", " % {'a': x}", " - 1", " / 2", " // 2", " ** 2", " == x", " != 'a'", " < x", " < x < 'b'", " in x",
    " not in [x, 'a']", " and x", " or x", " if x else 'n'", " is string", " is mapping", " is in(x)", " is eq(x)",
    " is defined", " is lower", " is divisibleby(2)",
)  # fmt: skip
STARTS = (
    "messages[0].content", "x", "'a%sb{}c' ~ missing", "'{a}' ~ missing", "y", "[x, 'a', 1]", "{'a': x, 'b': 2}", "{x: 'v'}", "(x, 2)", "messages",
    "messages[0]", "y", "y / 2", "y > 1", "x is number", "missing", "bos_token", "'<|a|>' ~ x", "range(3)", "namespace(a=x).a",
    "dict(a=x)", "'%s|%5s|%d' % (x, x, 3)", "'{0}{1:>4}{2!r}'.format(x, x, x)", "x|safe", "joiner(x)()", "cycler(x, 'b').next()",
)  # fmt: skip
PARTS = st.tuples(st.sampled_from(STARTS), st.lists(st.sampled_from(STEPS), max_size=4))
WRAPS = (
    "{{ %s }}", "a{{ (%s) }}b", "{%% set v = %s %%}{{ v }}|{{ v ~ v }}", "{%% set v %%}[{{ %s }}]{%% endset %%}{{ v|trim }}",
    "{%% macro m(v) %%}<{{ v }}>{%% endmacro %%}{{ m(%s) }}", "{%% for v in %s %%}{{ loop.index }}{{ v }},{%% endfor %%}",
    "{%% filter upper %%}{{ %s }}{%% endfilter %%}", "{%% if %s %%}yes{%% else %%}no{%% endif %%}",
    "{%% set ns = namespace(t='') %%}{%% for i in range(3) %%}{%% set ns.t = ns.t ~ (%s) %%}{%% endfor %%}{{ ns.t }}",
    "{%% call(a) m2(1) %%}{{ a }}{%% endcall %%}{{ %s }}", "{%% autoescape true %%}{{ %s }}{%% endautoescape %%}",
    "  {%% generation %%}\n{{ %s }}  {%%- endgeneration %%}\n",
)  # fmt: skip


def outcomes(source: str, variables: dict[str, Any]) -> tuple[str, str]:
    """What Transformers makes of it, and what we make of it; an error is one word."""
    given_ = dict(variables)
    try:
        made: Any = reference.render_jinja_template([given_.pop("messages")], chat_template=source, **given_)
        expected = str(made[0][0])
    except Exception:  # noqa: BLE001 - a template can fail in any way
        expected = "error"
    try:
        return expected, render(source, name="it", variables=variables).text
    except UnsafeTemplateError:
        return expected, expected  # the text was compared before; that a marker is lost is what this says
    except ChatError as error:
        return expected, "error" if error.code != "template" or "origins" not in str(error) else str(error)


@settings(max_examples=400, deadline=None)
@given(PARTS, st.sampled_from(WRAPS), TEXTS, TEXTS)
@example(("x|safe", [" + 'a'", "|forceescape"]), "{{ %s }}", "", "")
def test_any_expression(parts: tuple[str, list[str]], wrap: str, content: str, x: str) -> None:
    start, steps = parts
    source = wrap % (f"({start})" + "".join(steps))
    variables = {
        "messages": [{"role": "user", "content": content}],
        "x": x,
        "y": 3,
        "bos_token": BOS,
        "eos_token": EOS,
    }
    # Jinja makes nothing of a slice of a number that is a constant, in some places and not in others.
    assume(not re.search(r"(?:\d|none)\[", source))
    expected, made = outcomes(source, variables)
    if re.search(r"m.?e.?t.?h.?o.?d|0.?x[0-9a-f.]{6}", expected, re.IGNORECASE):
        return  # the address of an object is another each time
    assert made == expected, source


NAMES = (
    "Qwen-Qwen3-0.6B",
    "meta-llama-Llama-3.1-8B-Instruct",
    "mistralai-Mistral-Nemo-Instruct-2407",
    "openai-gpt-oss-120b",
)
FRAGMENTS = st.lists(
    st.sampled_from(
        ("<|", "|>", "im_end", "<|im_end|>", "[INST]", "[/INST]", "</s>", "<|eot_id|>", "<|start|>", "<｜User｜>", "<", ">", "|",
         "assistant", "\n", " ", "a", "\u200b", "</", "tool_call>", "[", "]", '"', "\\", "{{", "}}")
    ),
    max_size=8,
).map("".join)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(FRAGMENTS, FRAGMENTS)
def test_no_text_changes_the_templates_markers(name: str, said: str, described: str) -> None:
    def own(said: str, described: str) -> list[str]:
        tool = {
            "name": "f",
            "description": described,
            "parameters": {"type": "object", "properties": {"p" + described: {"type": "string"}}},
        }
        variables = {
            "messages": [
                {"role": "system", "content": "s" + said},
                {"role": "user", "content": "u" + said},
                {"role": "assistant", "content": "a" + said},
                {"role": "user", "content": "v" + said},
            ],
            "tools": [{"type": "function", "function": tool}],
            "add_generation_prompt": True,
            "bos_token": BOS,
            "eos_token": EOS,
        }
        made = render(templates()[name], name=name, variables=variables)
        return [marker for marker, kinds in markers_in(made) if kinds == {"template"}]

    assert own(said, described) == own("", "")
