"""Classification of shell commands: what a command would change, judged from its text.

Specified in commands section 1.
"""
