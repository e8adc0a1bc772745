"""What every other part of a governed root uses: its stores, rules, sessions and grants."""
