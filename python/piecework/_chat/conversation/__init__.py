"""Messages and tools in any of the forms that applications hold, read into the one that chat templates expect.

One converter for all forms: each item, part and tool is read by what it is, so that nobody names a dialect. What the
target form cannot hold is an error with its path, never left out in silence.
"""

from __future__ import annotations

from piecework._chat.conversation.chat_messages import is_of_other_form
from piecework._chat.conversation.conversation import Conversation, read_conversation

__all__ = ["Conversation", "is_of_other_form", "read_conversation"]
