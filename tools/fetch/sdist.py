"""Download one sdist without running it: `python sdist.py NAME==VERSION FOLDER`.

`pip download` prepares an sdist's metadata and so runs its build back end (CMake and compilers, for some). This script
asks pip's own machinery for the link and for its HTTP client, so that index, mirrors, proxies, certificates and
find-links of the user's configuration hold, and stops there. The parts of pip used here have kept their shape from
pip 22 to 26.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pip._internal.cli.status_codes import ERROR, SUCCESS
from pip._internal.commands.download import DownloadCommand
from pip._internal.exceptions import DistributionNotFound
from pip._internal.models.target_python import TargetPython
from pip._vendor.packaging.requirements import Requirement

if TYPE_CHECKING:
    from optparse import Values


class SdistCommand(DownloadCommand):
    """`pip download --no-deps --no-binary :all:`, less the build."""

    def run(self, options: Values, args: list[str]) -> int:
        """Write the archive that the requirement names into the download folder."""
        requirement = Requirement(args[0])
        session = self.get_default_session(options)
        finder = self._build_package_finder(
            options, session, target_python=TargetPython(), ignore_requires_python=True
        )
        best = finder.find_best_candidate(requirement.name, requirement.specifier).best_candidate
        if best is None:
            raise DistributionNotFound(f"no sdist of {requirement} found")
        url = best.link.url_without_fragment
        response = session.get(url, headers={"Accept-Encoding": "identity"}, stream=True)
        response.raise_for_status()
        target = Path(options.download_dir, best.link.filename)
        with target.open("wb") as stream:
            for block in response.iter_content(1 << 20):
                stream.write(block)
        return SUCCESS if target.stat().st_size else ERROR


if __name__ == "__main__":
    command = SdistCommand("download", "Download one sdist without building it.")
    sys.exit(command.main([sys.argv[1], "--no-deps", "--no-binary", ":all:", "--dest", sys.argv[2]]))
