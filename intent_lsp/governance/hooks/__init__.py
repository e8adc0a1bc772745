"""Events of agent hosts' hooks: calls judged and recorded, sessions and turns begun and ended."""
