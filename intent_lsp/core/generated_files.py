"""Globs of files that tools leave behind: caches, coverage, build state.

Edits of these files need no intent that owns them.

Invariant: files that a person writes or a build needs are not listed. Lock files are not.
"""

from typing import Final

GENERATED: Final = (
    "**/__pycache__/**",
    "**/*.py[co]",
    "**/.pytest_cache/**",
    "**/.mypy_cache/**",
    "**/.ruff_cache/**",
    "**/.hypothesis/**",
    "**/.tox/**",
    "**/.nox/**",
    "**/.ipynb_checkpoints/**",
    "**/.coverage",
    "**/.coverage.*",
    "**/htmlcov/**",
    "**/.nyc_output/**",
    "**/*.egg-info/**",
    "**/*.tsbuildinfo",
    "**/next-env.d.ts",
    "**/.eslintcache",
    "**/.stylelintcache",
    "**/.turbo/**",
    "**/.parcel-cache/**",
    "**/.gradle/**",
    "**/.DS_Store",
    "**/Thumbs.db",
)
"""The globs for every team. The policy's `generated` adds to them."""
