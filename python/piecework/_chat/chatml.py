"""A chat template of our own, for tokenizers that come without one: turns as ChatML marks them, tools as JSON.

No model was trained with it, so what it counts is close to a model's own prompt at best: calibrated, never exact.
"""

from __future__ import annotations

__all__ = ["CHATML", "CHATML_LABEL"]

CHATML_LABEL = "our ChatML, not the model's own: calibrated"

CHATML = r"""
{%- set is_system_first = messages and messages[0].role in ["system", "developer"] %}
{%- if tools %}
    {{- "<|im_start|>system\n" }}
    {%- if is_system_first %}
        {%- if messages[0].content is string %}
            {{- messages[0].content }}
        {%- else %}
            {%- for part in messages[0].content or [] %}
                {{- part.text if part.type == "text" else "" }}
            {%- endfor %}
        {%- endif %}
        {{- "\n\n" }}
    {%- endif %}
    {{- "You can call the functions between <tools> and </tools>, one JSON object on a line.\n" }}
    {{- "To call one, write its name and arguments as JSON between <tool_call> and </tool_call>.\n<tools>\n" }}
    {%- for tool in tools %}
        {{- tool | tojson }}
        {{- "\n" }}
    {%- endfor %}
    {{- "</tools><|im_end|>\n" }}
{%- endif %}
{%- for message in messages %}
    {%- if not (tools and loop.first and is_system_first) %}
        {{- "<|im_start|>" + message.role + "\n" }}
        {%- if message.name %}
            {{- message.name + ": " }}
        {%- endif %}
        {%- if message.reasoning_content %}
            {{- "<think>\n" + message.reasoning_content + "\n</think>\n\n" }}
        {%- endif %}
        {%- if message.content is string %}
            {{- message.content }}
        {%- else %}
            {%- for part in message.content or [] %}
                {{- part.text if part.type == "text" else "" }}
            {%- endfor %}
        {%- endif %}
        {%- for call in message.tool_calls or [] %}
            {%- set function = call.function or call %}
            {{- "\n<tool_call>\n{\"name\": \"" + function.name + "\", \"arguments\": " }}
            {%- if function.arguments is string %}
                {{- function.arguments }}
            {%- else %}
                {{- function.arguments | tojson }}
            {%- endif %}
            {{- "}\n</tool_call>" }}
        {%- endfor %}
        {{- "<|im_end|>\n" }}
    {%- endif %}
{%- endfor %}
{%- if add_generation_prompt %}
    {{- "<|im_start|>assistant\n" }}
{%- endif %}
"""
