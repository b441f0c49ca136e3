"""Packages that are not base dependencies: imported when first used, or named with the line that installs them.

The native module calls `numpy_array` for its `.numpy()` methods.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from piecework.errors import MissingExtraError

if TYPE_CHECKING:
    from types import ModuleType

    import numpy as np

__all__ = ["numpy_array", "optional_module"]


def optional_module(module: str, *, extra: str) -> ModuleType:
    """Imports an optional package.

    Args:
        module: The module's name.
        extra: The extra of Piecework that installs it.

    Returns:
        The module.

    Raises:
        MissingExtraError: It is not installed; the hint is the line that installs it.
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        # A module that is there, but lacks one of its own dependencies, speaks for itself.
        if error.name != module:
            raise
        install = f'pip install "piecework[{extra}]"'
        raise MissingExtraError(
            f"this needs {module}, which is not installed", module=module, install=install, hint=install
        ) from None


def numpy_array(buffer: Any) -> np.ndarray[Any, Any]:  # noqa: ANN401 - any buffer
    """A read-only NumPy array over a buffer, without a copy.

    Args:
        buffer: An object with the buffer protocol, whose format says what it holds: uint32 ids, int64 counts.

    Returns:
        An array of the buffer's shape that keeps `buffer` alive.

    Raises:
        MissingExtraError: NumPy is not installed.
    """
    numpy = optional_module("numpy", extra="numpy")
    array: np.ndarray[Any, Any] = numpy.asarray(memoryview(buffer))
    return array
