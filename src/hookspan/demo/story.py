"""What the scripted model says in the demo: it finds a fault, has two helpers look into it, mends it, and is stopped
from putting the project online."""

from __future__ import annotations

from collections.abc import Mapping

from hookspan.demo.script import Call, Say, Script, Tokens, Turn, asked
from hookspan.demo.workspace import FAULT, REPAIR

MODEL = "claude-scripted"
PERSON = "ada"
TASK = "The test of the cart fails. Find out why, mend it, and put the shop online."

ASSISTANT = "You are a coding assistant. Mend what is broken, and leave the rest alone."
REVIEWER = "You are a reviewer. Say what is wrong with the code that you are shown."
RESEARCHER = "You are a researcher. Say who uses the code that you are asked about."

REFUSAL_REASON = "Not on a Friday. Open a pull request instead."
ANSWERS: Mapping[str, Mapping[str, str]] = {
    "edit_file": {"type": "approve"},
    "deploy": {"type": "reject", "message": REFUSAL_REASON},
}
"""What the person answers when the assistant asks for leave, by tool."""

THINKING_TIME_S: Mapping[str, float] = {"edit_file": 0.8, "deploy": 0.5}
"""How long the person takes to answer."""

_SHOWN = "read_file"

SCRIPT: Script = [
    Turn(
        asked(ASSISTANT, results=0),
        [
            Say("I look at the cart and at its test first."),
            Call("toolu_read_cart", _SHOWN, {"file_path": "/shop/cart.py"}),
            Call("toolu_read_test", _SHOWN, {"file_path": "/tests/test_cart.py"}),
        ],
        Tokens(input=412, output=96, cache_creation=5210),
        delay_s=0.2,
    ),
    Turn(
        asked(ASSISTANT, results=2),
        [Say("Now I run the tests."), Call("toolu_test_before", "run_tests")],
        Tokens(input=388, output=41, cache_read=5210, cache_creation=402),
        delay_s=0.15,
    ),
    Turn(
        asked(ASSISTANT, results=3),
        [
            Say("They fail. Two helpers look into it at the same time."),
            Call(
                "toolu_task_review",
                "task",
                {"subagent_type": "reviewer", "description": "What is wrong with total() in /shop/cart.py?"},
            ),
            Call(
                "toolu_task_research",
                "task",
                {"subagent_type": "researcher", "description": "Who calls total() of /shop/cart.py?"},
            ),
        ],
        Tokens(input=121, output=148, cache_read=5612, cache_creation=96),
        delay_s=0.2,
    ),
    Turn(
        asked(REVIEWER, results=0),
        [Call("toolu_review_read", _SHOWN, {"file_path": "/shop/cart.py"})],
        Tokens(input=1830, output=52),
        delay_s=0.25,
    ),
    Turn(
        asked(REVIEWER, results=1),
        [Say(f"total() adds the discount instead of taking it off: {FAULT} must be {REPAIR}.")],
        Tokens(input=2004, output=38),
        delay_s=0.25,
    ),
    Turn(
        asked(RESEARCHER, results=0),
        [
            Call("toolu_research_grep", "grep", {"pattern": "total(", "path": "/"}),
            Call("toolu_research_read", _SHOWN, {"file_path": "/shop/invoice.py"}),
        ],
        Tokens(input=1815, output=74),
        delay_s=0.2,
    ),
    Turn(
        asked(RESEARCHER, results=2),
        [Say("Only invoice() calls it, and hands the discount on as a share between 0 and 1.")],
        Tokens(input=2120, output=33),
        delay_s=0.2,
    ),
    Turn(
        asked(ASSISTANT, results=5),
        [
            Say("Both say the same: the sign is wrong, and nobody relies on it. May I mend it?"),
            Call("toolu_edit_cart", "edit_file", {"file_path": "/shop/cart.py", "old_string": FAULT, "new_string": REPAIR}),
        ],
        Tokens(input=233, output=87, cache_read=5708, cache_creation=148),
        delay_s=0.2,
    ),
    Turn(
        asked(ASSISTANT, results=6),
        [Say("Mended. I run the tests again."), Call("toolu_test_after", "run_tests")],
        Tokens(input=64, output=40, cache_read=5856, cache_creation=92),
        delay_s=0.15,
    ),
    Turn(
        asked(ASSISTANT, results=7),
        [Say("They pass. May I put the shop online?"), Call("toolu_deploy", "deploy", {"target": "production"})],
        Tokens(input=58, output=44, cache_read=5948, cache_creation=64),
        delay_s=0.15,
    ),
    Turn(
        asked(ASSISTANT, results=8),
        [Say("The discount is right now and the tests pass. The shop is not online: that was refused. I leave it to a pull request.")],
        Tokens(input=92, output=57, cache_read=6012, cache_creation=71),
        delay_s=0.2,
    ),
]
