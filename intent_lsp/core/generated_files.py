"""Files that tools leave behind, which are nobody's edits: caches, coverage, build state.

Invariant: nothing that a person writes or a build needs is among them; lock files are not.
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
"""What every team takes for generated; the policy's `generated` adds to it."""
