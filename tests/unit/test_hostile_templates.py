"""A chat template comes with a downloaded model. Whatever it does, it ends in an error, soon, and in little memory."""

from __future__ import annotations

import json
import resource
import subprocess
import sys

import pytest

TOO_MUCH = "goes over a limit"
FORBIDDEN = "may not"
DOUBLED = "{% set ns = namespace(x=[1], y=[1], t=(1,), u=(1,)) %}{% for i in range(99) %}{% set ns.x = [ns.x, ns.x] %}{% set ns.y = [ns.y, ns.y] %}{% set ns.t = (ns.t, ns.t) %}{% endfor %}"
LONG = "{% set a = 'a' * 1000000 %}"

TEMPLATES: dict[str, tuple[str, str]] = {
    # Time.
    "loops in loops": ("{% for a in range(99999) %}" * 4 + "{% endfor %}" * 4, TOO_MUCH),
    "loops that skip all": ("{% for a in range(99999) %}{% for b in range(99999) if b < 0 %}{% endfor %}{% endfor %}", TOO_MUCH),
    "a macro that calls itself twice": ("{% macro m(n) %}{% if n %}{{ m(n - 1) }}{{ m(n - 1) }}{% endif %}{% endmacro %}{{ m(60) }}", TOO_MUCH),
    "searching": ("{% set l = range(99999)|list %}{% for i in range(99999) %}{{ -1 in l }}{% endfor %}", TOO_MUCH),
    "searching lazily": ("{% for i in range(99999) %}{{ -1 in range(99999)|map('int') }}{% endfor %}", TOO_MUCH),
    "rejecting": ("{% for i in range(99999) %}{{ range(99999)|reject('gt', -1)|list }}{% endfor %}", TOO_MUCH),
    # Numbers.
    "a power": ("{{ 10 ** (10 ** 10) }}", TOO_MUCH),
    "squares": ("{% set ns = namespace(x=9) %}{% for i in range(99) %}{% set ns.x = ns.x * ns.x %}{% endfor %}", TOO_MUCH),
    "digits": ("{{ 1.5|round(10000000) }}", TOO_MUCH),
    "bytes of a number": ("{{ (1).to_bytes(9999999999, 'big') }}", FORBIDDEN),
    "a range": ("{% for i in range(10 ** 18) %}{% endfor %}", "Range too big"),
    "a smaller range": ("{% for i in range(200000) %}{% endfor %}", "Range too big"),
    # Length.
    "repeated": ("{{ 'a' * 10 ** 9 }}", TOO_MUCH),
    "repeated from the left": ("{{ 9999999999 * 'a' }}", TOO_MUCH),
    "a repeated list": ("{{ ([0] * 10 ** 10)|length }}", TOO_MUCH),
    "repeated bytes": ("{{ 'a'.encode() * 10 ** 10 }}", TOO_MUCH),
    "doubled by ~": ("{% set ns = namespace(x='abc') %}{% for i in range(99) %}{% set ns.x = ns.x ~ ns.x %}{% endfor %}", TOO_MUCH),
    "doubled by +": ("{% set ns = namespace(x='abc') %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}", TOO_MUCH),
    "a doubled list": ("{% set ns = namespace(x=[1]) %}{% for i in range(99) %}{% set ns.x = ns.x + ns.x %}{% endfor %}", TOO_MUCH),
    "printed often": (LONG + "{% for i in range(99999) %}{{ a }}{% endfor %}", TOO_MUCH),
    "captured": ("{% set x %}{{ 'a' * 9999999 }}{{ 'a' * 9999999 }}{% endset %}", TOO_MUCH),
    "kept slices": (LONG + "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + [a[1:]] %}{% endfor %}", TOO_MUCH),
    "kept copies": (LONG + "{% set ns = namespace(l=[]) %}{% for i in range(99999) %}{% set ns.l = ns.l + [a.upper()] %}{% endfor %}", TOO_MUCH),
    "kept lists": ("{% set ns = namespace(l=[]) %}" + "{% for i in range(99999) %}" * 2 + "{% set ns.l = [ns.l, [1, 2, 3, 4, 5, 6, 7, 8]] %}" + "{% endfor %}" * 2, TOO_MUCH),
    "kept characters": ("{{ ('a' * 9999999)|list|length }}", TOO_MUCH),
    "kept words": ("{% set a = 'a ' * 7999999 %}{{ a.split()|length }}{{ a.split(' ')|length }}", TOO_MUCH),
    # Methods and filters that grow.
    "replace": (LONG + "{{ a.replace('a', a) }}", TOO_MUCH),
    "replace, the filter": (LONG + "{{ a|replace('a', a) }}", TOO_MUCH),
    "replace, a block": ("{% filter replace('a', 'b' * 1000000) %}{{ 'a' * 1000000 }}{% endfilter %}", TOO_MUCH),
    "join": (LONG + "{{ a.join(a) }}", TOO_MUCH),
    "join, the filter": (LONG + "{{ a|join(a) }}", TOO_MUCH),
    "join of numbers": (LONG + "{{ range(99999)|join(a) }}", TOO_MUCH),
    "join of one text": (LONG + "{{ ([a] * 99999)|join }}", TOO_MUCH),
    "indent": ("{{ ('a\\n' * 999999)|indent(999999) }}", TOO_MUCH),
    "center": ("{{ 'a'|center(10 ** 9) }}", TOO_MUCH),
    "ljust": ("{{ 'a'.ljust(10 ** 9) }}", TOO_MUCH),
    "zfill": ("{{ 'a'.zfill(10 ** 9) }}", TOO_MUCH),
    "expandtabs": ("{{ ('\\t' * 999999).expandtabs(999999) }}", TOO_MUCH),
    "expandtabs by name": ("{{ ('\\t' * 999999).expandtabs(tabsize=999999) }}", TOO_MUCH),
    "replace of nothing": ("{{ ('a' * 15999999).replace('', 'b', 9) }}", TOO_MUCH),
    "replace of each": ("{{ ('a' * 15999999).replace('a', 'b')|length }}", TOO_MUCH),
    "fields, again and again": (LONG + "{{ ('{0}' * 100000).format(a) }}", TOO_MUCH),
    "% again and again": (LONG + "{{ ('%(a)s' * 100000) % {'a': a} }}", TOO_MUCH),
    "json of one text, indented": ("{{ 'a'|tojson(indent=10 ** 9) }}", TOO_MUCH),
    "lines in between": (LONG + "{{ ('a ' * 40000)|wordwrap(1, wrapstring=a) }}", TOO_MUCH),
    "translate": (LONG + "{{ a.translate({97: a}) }}", TOO_MUCH),
    "bytes": ("{{ 'a'.encode().ljust(9999999999) }}", FORBIDDEN),
    "batch": ("{{ [1]|batch(10 ** 9, 'x')|list }}", TOO_MUCH),
    "slice": ("{{ [1]|slice(10 ** 9)|list }}", TOO_MUCH),
    "sum of lists": ("{% set l = [0] * 99999 %}{{ ([l] * 99999)|sum(start=[]) }}", TOO_MUCH),
    "json, indented": ("{{ [[[1]]]|tojson(indent=10 ** 9) }}", TOO_MUCH),
    "json, long and indented": ("{{ range(99999)|list|tojson(indent=99999) }}", TOO_MUCH),
    "json of one text": (LONG + "{{ ([a] * 99999)|tojson }}", TOO_MUCH),
    "a list of one text": (LONG + "{{ [a] * 99999 }}", TOO_MUCH),
    "wordwrap": ("{{ ('a ' * 999999)|wordwrap(1) }}", TOO_MUCH),
    "urlize": ("{{ ('http://a.' * 999999)|urlize }}", TOO_MUCH),
    "mapped": ("{{ range(99999)|map('string')|map('center', 99999)|list|length }}", TOO_MUCH),
    # Widths.
    "%d": ("{{ '%99999999999d' % 1 }}", TOO_MUCH),
    "%*d": ("{{ '%*d' % (999999999, 1) }}", TOO_MUCH),
    "%.f": ("{{ '%.999999999f' % 1 }}", TOO_MUCH),
    "%(a)s": ("{{ '%(a)999999999s' % {'a': 1} }}", TOO_MUCH),
    "format, the filter": ("{{ '%999999999s'|format('a') }}", TOO_MUCH),
    "{:>}": ("{{ '{:>999999999}'.format(1) }}", TOO_MUCH),
    "{:>} of a safe text": ("{{ ('{:>999999999}'|safe).format(1) }}", TOO_MUCH),
    "{:{w}}": ("{{ '{:{w}}'.format(1, w=99999) }}", TOO_MUCH),
    "format_map": ("{{ '{a:>999999999}'.format_map({'a': 1}) }}", TOO_MUCH),
    "a date": ("{{ strftime_now('%999999999Y') }}", TOO_MUCH),
    # Small values that are endless when they are unfolded.
    "endless, printed": (DOUBLED + "{{ ns.x }}", TOO_MUCH),
    "endless, as json": (DOUBLED + "{{ ns.x|tojson }}", TOO_MUCH),
    "endless, compared": (DOUBLED + "{{ ns.x == ns.y }}", TOO_MUCH),
    "endless, compared by a test": (DOUBLED + "{{ ns.x is eq(ns.y) }}", TOO_MUCH),
    "endless, compared in a chain": (DOUBLED + "{{ 1 < 2 != ns.x == ns.y }}", TOO_MUCH),
    "endless, looked for": (DOUBLED + "{{ ns.x in [ns.y] }}", TOO_MUCH),
    "endless, index": (DOUBLED + "{{ [ns.x].index(ns.y) }}", TOO_MUCH),
    "endless, as a key": (DOUBLED + "{{ {ns.t: 1} }}", TOO_MUCH),
    "endless, got": (DOUBLED + "{{ {}.get(ns.t) }}", TOO_MUCH),
    "endless, as an index": (DOUBLED + "{{ {}[ns.t] }}", TOO_MUCH),
    "endless, as a wrong index": (DOUBLED + "{{ [][ns.x].a }}", TOO_MUCH),
    "endless, unique": (DOUBLED + "{{ [ns.t]|unique|list }}", TOO_MUCH),
    "endless, dict": (DOUBLED + "{{ dict([[ns.t, 1]]) }}", TOO_MUCH),
    "endless, fromkeys": (DOUBLED + "{{ dict.fromkeys([ns.t], 1) }}", TOO_MUCH),
    "endless, %": (DOUBLED + "{{ '%s' % [ns.x] }}", TOO_MUCH),
    "endless, format": (DOUBLED + "{{ '{}'.format(ns.x) }}", TOO_MUCH),
    "endless, joined": (DOUBLED + "{{ ns.x|join }}", TOO_MUCH),
    "endless, upper": (DOUBLED + "{{ ns.x|upper }}", TOO_MUCH),
    "endless, escaped": (DOUBLED + "{{ ns.x|e }}", TOO_MUCH),
    "endless, pprint": (DOUBLED + "{{ ns.x|pprint }}", TOO_MUCH),
    "endless, raised": (DOUBLED + "{{ raise_exception(ns.x) }}", TOO_MUCH),
    "endless, the namespace": (DOUBLED + "{{ ns }}", TOO_MUCH),
    "endless, views": (DOUBLED + "{{ {'a': ns.x}.items() }}", TOO_MUCH),
    "deep": ("{% set ns = namespace(x=[]) %}{% for i in range(2000) %}{% set ns.x = [ns.x] %}{% endfor %}{{ ns.x }}", TOO_MUCH),
    "deep, as a key": ("{% set ns = namespace(x=(1,)) %}{% for i in range(2000) %}{% set ns.x = (ns.x,) %}{% endfor %}{{ {ns.x: 1} }}", TOO_MUCH),
    # Recursion.
    "a macro that calls itself": ("{% macro m() %}{{ m() }}{% endmacro %}{{ m() }}", "calls itself too often"),
    "two macros": ("{% macro a() %}{{ b() }}{% endmacro %}{% macro b() %}{{ a() }}{% endmacro %}{{ a() }}", "calls itself too often"),
    "a recursive loop": ("{% for a in [1] recursive %}{{ loop([1]) }}{% endfor %}", "calls itself too often"),
    "a block in itself": ("{% block a %}{{ self.a() }}{% endblock %}", "calls itself too often"),
    # Nested too deep to compile, or too long.
    "parentheses": ("{{ " + "(" * 5000 + "1" + ")" * 5000 + " }}", "nested too deep"),
    "lists": ("{{ " + "[" * 5000 + "]" * 5000 + " }}", "nested too deep"),
    "conditions": ("{% if 1 %}" * 3000 + "{% endif %}" * 3000, "nested too deep"),
    "many loops": ("{% for a in [1] %}" * 100 + "{% endfor %}" * 100, "cannot be compiled"),
    "not not": ("{{ " + "not " * 9000 + "1 }}", "nested too deep"),
    "attributes": ("{{ a" + ".b" * 9000 + " }}", "nested too deep"),
    "sums": ("{{ 1" + "+1" * 9000 + " }}", "nested too deep"),
    "filters": ("{{ 1" + "|string" * 9000 + " }}", "nested too deep"),
    "braces": ("{" * 99_000, "nested too deep"),
    "a long number": ("{{ " + "9" * 90_000 + " }}", "cannot be compiled"),
    "ten megabytes": ("a" * 10_000_000, "10,000,000 characters; the limit is 100,000"),
    "unclosed": ("{#" * 45_000, "Missing end of comment tag"),
    "unclosed text": ("{{ '" + "\\\\" * 45_000, "unexpected char"),
    # Out of the sandbox.
    "__class__": ("{{ ''.__class__.__mro__ }}", FORBIDDEN),
    "subclasses": ("{{ [].__class__.__base__.__subclasses__() }}", FORBIDDEN),
    "by index": ("{{ ''['__class__']['__mro__'] }}", FORBIDDEN),
    "by attr": ("{{ (''|attr('__class__')).mro() }}", FORBIDDEN),
    "by map": ("{{ (messages|map(attribute='__class__')|list)[0].mro() }}", FORBIDDEN),
    "by format": ("{{ '{0.__class__.__mro__}'.format('a') }}", FORBIDDEN),
    "by format of a safe text": ("{{ ('{0.__class__.__mro__}'|safe).format('a') }}", FORBIDDEN),
    "by format_map of a safe text": ("{{ ('{a.__class__.__mro__}'|safe).format_map({'a': 1}) }}", FORBIDDEN),
    "by format and attr": ("{{ ('{0.__class__.__mro__}'|attr('format'))('a') }}", FORBIDDEN),
    "by format and index": ("{{ '{0.__class__.__mro__}'['format']('a') }}", FORBIDDEN),
    "by format and map": ("{{ (['{0.__class__.__mro__}']|map(attribute='format')|list)[0]('a') }}", FORBIDDEN),
    "by format_map": ("{{ '{a.__class__.__mro__}'.format_map({'a': 1}) }}", FORBIDDEN),
    "globals of a function": ("{{ raise_exception.__globals__['sys'] }}", FORBIDDEN),
    "globals of a method": ("{{ strftime_now.__func__.__globals__ }}", FORBIDDEN),
    "the environment": ("{{ strftime_now.__self__.globals }}", FORBIDDEN),
    "cycler": ("{{ cycler.__init__.__globals__.os.popen('id').read() }}", FORBIDDEN),
    "self": ("{{ self.__init__.__globals__ }}", FORBIDDEN),
    "origins": ("{{ ''._origins[0].kind }}", "has no attribute"),
    "a name of a namespace": ("{% set ns = namespace() %}{% set ns.__class__ = 1 %}", FORBIDDEN),
    "another name of a namespace": ("{{ namespace(**{'__class__': 1}) }}", FORBIDDEN),
    "changing a list": ("{{ messages.append(1) }}", FORBIDDEN),
    "changing a mapping": ("{{ messages[0].update({'role': 'system'}) }}", FORBIDDEN),
    "taking out": ("{{ messages[0].pop('role') }}", FORBIDDEN),
    # Other files, and chance.
    "include": ("{% include 'x' %}", "no loader"),
    "import": ("{% import 'x' as y %}", "no loader"),
    "from import": ("{% from 'x' import y %}", "no loader"),
    "extends": ("{% extends '/etc/passwd' %}", "no loader"),
    "random": ("{{ [1, 2, 3]|random }}", "No filter named 'random'"),
    "lipsum": ("{{ lipsum(9) }}", "'lipsum' is undefined"),
    "debug": ("{% debug %}", "unknown tag 'debug'"),
    # Mistakes.
    "division": ("{{ 1 / 0 }}", "ZeroDivisionError"),
    "overflow": ("{{ 10.0 ** 400 }}", "OverflowError"),
    "mixed keys": ("{{ {'a': 1, 2: 3}|tojson(sort_keys=true) }}", "TypeError"),
    "a keyword twice": ("{{ dict(a=1, a=2) }}", "cannot be compiled"),
}  # fmt: skip

PROGRAM = """
import json, sys, time
from piecework._chat.engine import Limits, render
from piecework.errors import TemplateError
variables = {"messages": [{"role": "user", "content": "hi"}], "tools": None}
for name, source in json.load(sys.stdin).items():
    start = time.monotonic()
    try:
        outcome = "no error: " + render(source, name="hostile", variables=variables, limits=Limits(max_seconds=0.5)).text[:80]
    except TemplateError as error:
        outcome = str(error)
    print(json.dumps([name, outcome, time.monotonic() - start]), flush=True)
"""
MAX_MEMORY_BYTES = 2_000_000_000
MAX_SECONDS = 300


@pytest.fixture(scope="module")
def outcomes() -> dict[str, str]:
    """What each template ends in, in a process of its own that may take two gigabytes."""

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY_BYTES, MAX_MEMORY_BYTES))

    result = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        input=json.dumps({name: source for name, (source, _) in TEMPLATES.items()}),
        capture_output=True,
        text=True,
        timeout=MAX_SECONDS,
        check=False,
        preexec_fn=limited,
    )
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    assert len(lines) == len(TEMPLATES), (lines[-1:], result.stderr[-2000:])
    return {name: outcome for name, outcome, _ in lines}


@pytest.mark.parametrize("name", TEMPLATES)
def test_it_ends_in_an_error(name: str, outcomes: dict[str, str]) -> None:
    assert TEMPLATES[name][1] in outcomes[name]
    assert "MemoryError" not in outcomes[name]
    assert outcomes[name].startswith("the chat template hostile")
