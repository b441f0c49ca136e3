"""Jinja's code generator, changed so that what it writes counts as the template's, ticks, and asks before it grows.

Every literal, output, slice, comparison and container of a template becomes a call of the environment, which knows
origins (or does not: the plain rendering runs through the same calls).
"""

# ruff: noqa: ANN401, N802 - a template computes with anything, and Jinja names its visitors after nodes

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from jinja2 import nodes
from jinja2.compiler import CodeGenerator, Frame

__all__ = ["TrackingCodeGenerator"]


class TrackingCodeGenerator(CodeGenerator):
    """Python code for a template, in which the environment sees every text that is made."""

    def enter_frame(self, frame: Frame) -> None:
        """Tick where a frame begins: the root, each iteration of a loop, each call of a macro."""
        super().enter_frame(frame)
        self.writeline("environment.tick()")

    def visit_Const(self, node: nodes.Const, frame: Frame) -> None:
        """Write a constant; a string is the template's."""
        value = node.as_const(frame.eval_ctx)
        if isinstance(value, str):
            self.write(f"environment.literal({value!r})")
        else:
            super().visit_Const(node, frame)

    def _output_const_repr(self, group: Iterable[Any]) -> str:
        return f"environment.literal({''.join(group)!r})"

    def _output_child_to_const(self, node: nodes.Expr, frame: Frame, finalize: Any) -> str:
        # Only the text between tags is known now: computing an expression here would be outside the limits.
        if not isinstance(node, nodes.TemplateData):
            raise nodes.Impossible
        return super()._output_child_to_const(node, frame, finalize)

    def _output_child_pre(self, node: nodes.Expr, frame: Frame, finalize: Any) -> None:
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super()._output_child_pre(node, frame, finalize)
        else:
            self.write("environment.text(")

    def visit_Concat(self, node: nodes.Concat, frame: Frame) -> None:
        """Write `a ~ b`."""
        if frame.eval_ctx.volatile or frame.eval_ctx.autoescape:
            super().visit_Concat(node, frame)
            return
        self.write("environment.joined((")
        for part in node.nodes:
            self.visit(part, frame)
            self.write(", ")
        self.write("))")

    def visit_Getitem(self, node: nodes.Getitem, frame: Frame) -> None:
        """Write `a[b]`; Jinja's own code takes slices past the environment."""
        if not isinstance(node.arg, nodes.Slice):
            super().visit_Getitem(node, frame)
            return
        self.write("environment.cut(")
        self.visit(node.node, frame)
        for bound in (node.arg.start, node.arg.stop, node.arg.step):
            self.write(", ")
            if bound is None:
                self.write("None")
            else:
                self.visit(bound, frame)
        self.write(")")

    def visit_Compare(self, node: nodes.Compare, frame: Frame) -> None:
        """Write `a < b <= c`, each operand computed once."""
        names = [self.temporary_identifier() for _ in node.ops[1:]]
        self.write("(")
        for i, operand in enumerate(node.ops):
            self.write(f"{' and ' if i else ''}environment.compare({operand.op!r}, ")
            if i:
                self.write(names[i - 1])
            else:
                self.visit(node.expr, frame)
            self.write(f", ({names[i]} := " if i < len(names) else ", (")
            self.visit(operand.expr, frame)
            self.write("))")
        self.write(")")

    def visit_List(self, node: nodes.List, frame: Frame) -> None:
        """Write `[a, b]`."""
        self.write("environment.made(")
        super().visit_List(node, frame)
        self.write(")")

    def visit_Tuple(self, node: nodes.Tuple, frame: Frame) -> None:
        """Write `(a, b)`, which may also be the target of an assignment."""
        if node.ctx != "load":
            super().visit_Tuple(node, frame)
            return
        self.write("environment.made(")
        super().visit_Tuple(node, frame)
        self.write(")")

    def visit_Dict(self, node: nodes.Dict, frame: Frame) -> None:
        """Write `{a: b}`."""
        self.write("environment.made({")
        for item in node.items:
            self.write("environment.key(")
            self.visit(item.key, frame)
            self.write("): ")
            self.visit(item.value, frame)
            self.write(", ")
        self.write("})")
