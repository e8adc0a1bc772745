"""What is open of one governed root: its stores, rules, sessions and grants."""
