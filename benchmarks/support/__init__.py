"""Support code that several benchmarks share: clients, projects, figures, ledgers."""
