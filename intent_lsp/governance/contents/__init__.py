"""Contents of files: on disk now, in HEAD, in a session's baseline, and in the past."""
