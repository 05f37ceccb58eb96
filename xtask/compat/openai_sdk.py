"""The official OpenAI package for Python against a gateway: what its users do, each checked."""

import os

from openai import AuthenticationError, BadRequestError, NotFoundError, OpenAI

LAST_WORD = os.environ["LAST_WORD"]
BASE = os.environ["GATEWAY"] + "/v1"
TOOL = {"name": "weather", "description": "Tells the weather.",
        "parameters": {"type": "object", "properties": {"city": {"type": "string"}}}}
QUESTION = 'Weather? [[tool=weather:{"city":"Paris"}]]'
DOT = "data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7"

client = OpenAI(base_url=BASE, api_key=os.environ["GATEWAY_TOKEN"], max_retries=0, timeout=60)


def says(text, **more):
    return {"model": "openclaw", "messages": [{"role": "user", "content": text}], **more}


def refused(kind, call):
    try:
        call()
    except kind as error:
        assert error.body["message"], error
        return
    raise AssertionError(f"{kind.__name__} was expected")


def chat():
    answer = client.chat.completions.create(**says("hello", temperature=0.5, max_tokens=100))
    choice = answer.choices[0]
    assert LAST_WORD in choice.message.content and choice.finish_reason == "stop", answer
    assert answer.usage.completion_tokens == 8, answer.usage
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + 8, answer.usage


def chat_stream():
    options = {"include_usage": True}
    chunks = list(client.chat.completions.create(**says("hello", stream=True, stream_options=options)))
    text = "".join(chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices)
    assert LAST_WORD in text, text
    assert chunks[-2].choices[0].finish_reason == "stop" and chunks[-1].usage.completion_tokens == 8, chunks[-2:]
    with client.chat.completions.stream(**says("again")) as stream:
        for _event in stream:
            pass
        final = stream.get_final_completion()
    assert LAST_WORD in final.choices[0].message.content, final


def chat_tools():
    tools = [{"type": "function", "function": TOOL}]
    messages = [{"role": "user", "content": QUESTION}]
    first = client.chat.completions.create(model="openclaw", messages=messages, tools=tools)
    message = first.choices[0].message
    assert first.choices[0].finish_reason == "tool_calls", first
    call = message.tool_calls[0]
    assert call.function.name == "weather" and '"Paris"' in call.function.arguments, call
    messages += [message, {"role": "tool", "tool_call_id": call.id, "content": "sunny"}]
    second = client.chat.completions.create(model="openclaw", messages=messages, tools=tools)
    assert LAST_WORD in second.choices[0].message.content, second
    with client.chat.completions.stream(**says(QUESTION, tools=tools)) as stream:
        for _event in stream:
            pass
        streamed = stream.get_final_completion().choices[0]
    assert streamed.message.tool_calls[0].function.name == "weather", streamed


def images():
    content = [{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": DOT}}]
    answer = client.chat.completions.create(model="openclaw", messages=[{"role": "user", "content": content}])
    assert LAST_WORD in answer.choices[0].message.content, answer


def responses():
    answer = client.responses.create(model="openclaw", input="hello", instructions="Be brief.")
    assert LAST_WORD in answer.output_text and answer.status == "completed", answer
    assert answer.usage.output_tokens == 8, answer.usage
    more = client.responses.create(model="openclaw", input="and now?", previous_response_id=answer.id)
    assert LAST_WORD in more.output_text, more


def responses_stream():
    events = list(client.responses.create(model="openclaw", input="hello", stream=True))
    assert events[0].type == "response.created" and events[-1].type == "response.completed", events
    assert LAST_WORD in events[-1].response.output_text, events[-1]
    with client.responses.stream(model="openclaw", input="again") as stream:
        for _event in stream:
            pass
        assert LAST_WORD in stream.get_final_response().output_text


def responses_tools():
    tools = [{"type": "function", "strict": False, **TOOL}]
    first = client.responses.create(model="openclaw", input=QUESTION, tools=tools)
    call = first.output[0]
    assert call.type == "function_call" and call.name == "weather", first
    output = [{"type": "function_call_output", "call_id": call.call_id, "output": "sunny"}]
    second = client.responses.create(
        model="openclaw", input=output, tools=tools, previous_response_id=first.id)
    assert LAST_WORD in second.output_text, second
    # Without the session: everything that was said comes along.
    whole = [{"role": "user", "content": QUESTION}, *first.output, *output]
    third = client.responses.create(model="openclaw", input=whole, tools=tools)
    assert LAST_WORD in third.output_text, third
    with client.responses.stream(model="openclaw", input=QUESTION, tools=tools) as stream:
        for _event in stream:
            pass
        assert stream.get_final_response().output[0].arguments == call.arguments


def models():
    ids = [model.id for model in client.models.list()]
    assert ids == ["openclaw", "openclaw/default", "openclaw/main"], ids
    assert client.models.retrieve("openclaw/main").id == "openclaw/main"
    refused(NotFoundError, lambda: client.models.retrieve("gpt-4"))


def embeddings():
    header = {"x-openclaw-model": "fake/vectors-1"}
    answer = client.embeddings.create(model="openclaw", input=["a", "b"], dimensions=5, extra_headers=header)
    assert [len(one.embedding) for one in answer.data] == [5, 5], answer
    plain = client.embeddings.create(model="openclaw", input="a", dimensions=5, encoding_format="float",
                                     extra_headers=header)
    assert plain.data[0].embedding == answer.data[0].embedding, (plain, answer)


def errors():
    stranger = OpenAI(base_url=BASE, api_key="wrong", max_retries=0)
    refused(AuthenticationError, lambda: stranger.models.list())
    refused(BadRequestError, lambda: client.chat.completions.create(
        model="gpt-4o", messages=[{"role": "user", "content": "hello"}]))
    refused(BadRequestError, lambda: client.chat.completions.create(**says("hello", temperature=3)))


for step in [chat, chat_stream, chat_tools, images, responses, responses_stream, responses_tools, models,
             embeddings, errors]:
    step()
    print(f"{step.__name__}: good")
