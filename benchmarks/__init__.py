"""The benchmarks: each figure stands beside a floor that is measured in the same run."""
