// The official OpenAI package for JavaScript against a gateway: what its users do, each checked.

import assert from 'node:assert/strict'
import { pathToFileURL } from 'node:url'

const { default: OpenAI } = await import(pathToFileURL(process.env.SDK))
const LAST_WORD = process.env.LAST_WORD
const baseURL = `${process.env.GATEWAY}/v1`
const weather = {
  name: 'weather',
  description: 'Tells the weather.',
  parameters: { type: 'object', properties: { city: { type: 'string' } } },
}
const QUESTION = 'Weather? [[tool=weather:{"city":"Paris"}]]'
const DOT = 'data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7'

const client = new OpenAI({ baseURL, apiKey: process.env.GATEWAY_TOKEN, maxRetries: 0, timeout: 60_000 })
const says = (content, more = {}) => ({ model: 'openclaw', messages: [{ role: 'user', content }], ...more })
const has = (text) => assert.ok(text?.includes(LAST_WORD), `${text}`)
const drained = async (stream) => {
  const all = []
  for await (const one of stream) all.push(one)
  return all
}

const steps = {
  async chat() {
    const answer = await client.chat.completions.create(says('hello', { temperature: 0.5, max_tokens: 100 }))
    has(answer.choices[0].message.content)
    assert.equal(answer.choices[0].finish_reason, 'stop')
    assert.equal(answer.usage.completion_tokens, 8)
  },
  async chatStream() {
    const more = { stream: true, stream_options: { include_usage: true } }
    const chunks = await drained(await client.chat.completions.create(says('hello', more)))
    has(chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join(''))
    assert.equal(chunks.at(-2).choices[0].finish_reason, 'stop')
    assert.equal(chunks.at(-1).usage.completion_tokens, 8)
    const final = await client.chat.completions.stream(says('again')).finalChatCompletion()
    has(final.choices[0].message.content)
  },
  async chatTools() {
    const tools = [{ type: 'function', function: weather }]
    const messages = [{ role: 'user', content: QUESTION }]
    const first = await client.chat.completions.create({ model: 'openclaw', messages, tools })
    const { message, finish_reason: reason } = first.choices[0]
    assert.equal(reason, 'tool_calls')
    assert.deepEqual(JSON.parse(message.tool_calls[0].function.arguments), { city: 'Paris' })
    messages.push(message, { role: 'tool', tool_call_id: message.tool_calls[0].id, content: 'sunny' })
    const second = await client.chat.completions.create({ model: 'openclaw', messages, tools })
    has(second.choices[0].message.content)
    const asked = []
    const run = client.chat.completions.runTools({
      ...says(QUESTION),
      tools: [{ type: 'function', function: { ...weather, parse: JSON.parse, function: (args) => (asked.push(args), 'rain') } }],
    })
    has(await run.finalContent())
    assert.deepEqual(asked, [{ city: 'Paris' }])
  },
  async images() {
    const content = [{ type: 'text', text: 'look' }, { type: 'image_url', image_url: { url: DOT } }]
    has((await client.chat.completions.create(says(content))).choices[0].message.content)
  },
  async hangingUp() {
    const stream = await client.chat.completions.create(says('[[delay=500]] hello', { stream: true }))
    for await (const _chunk of stream) break
    stream.controller.abort()
  },
  async responses() {
    const answer = await client.responses.create({ model: 'openclaw', input: 'hello', instructions: 'Be brief.' })
    has(answer.output_text)
    const more = { model: 'openclaw', input: 'and now?', previous_response_id: answer.id }
    has((await client.responses.create(more)).output_text)
  },
  async responsesStream() {
    const events = await drained(await client.responses.create({ model: 'openclaw', input: 'hello', stream: true }))
    assert.equal(events[0].type, 'response.created')
    assert.equal(events.at(-1).type, 'response.completed')
    has((await client.responses.stream({ model: 'openclaw', input: 'again' }).finalResponse()).output_text)
  },
  async responsesTools() {
    const tools = [{ type: 'function', strict: false, ...weather }]
    const first = await client.responses.create({ model: 'openclaw', input: QUESTION, tools })
    const call = first.output[0]
    assert.equal(call.type, 'function_call')
    const input = [{ type: 'function_call_output', call_id: call.call_id, output: 'sunny' }]
    const next = { model: 'openclaw', input, tools, previous_response_id: first.id }
    has((await client.responses.create(next)).output_text)
    const streamed = await client.responses.stream({ model: 'openclaw', input: QUESTION, tools }).finalResponse()
    assert.equal(streamed.output[0].arguments, call.arguments)
  },
  async models() {
    const ids = (await drained(client.models.list())).map((model) => model.id)
    assert.deepEqual(ids, ['openclaw', 'openclaw/default', 'openclaw/main'])
    assert.equal((await client.models.retrieve('openclaw/main')).id, 'openclaw/main')
    await assert.rejects(client.models.retrieve('gpt-4'), OpenAI.NotFoundError)
  },
  async embeddings() {
    const headers = { 'x-openclaw-model': 'fake/vectors-1' }
    const ask = { model: 'openclaw', input: ['a', 'b'], dimensions: 5 }
    const packed = await client.embeddings.create(ask, { headers })
    const plain = await client.embeddings.create({ ...ask, encoding_format: 'float' }, { headers })
    assert.deepEqual(packed.data.map((one) => [...one.embedding]), plain.data.map((one) => one.embedding))
  },
  async errors() {
    const stranger = new OpenAI({ baseURL, apiKey: 'wrong', maxRetries: 0 })
    await assert.rejects(drained(stranger.models.list()), OpenAI.AuthenticationError)
    await assert.rejects(client.chat.completions.create({ ...says('x'), model: 'gpt-4o' }), OpenAI.BadRequestError)
    await assert.rejects(client.chat.completions.create(says('x', { temperature: 3 })), OpenAI.BadRequestError)
  },
}

for (const [name, step] of Object.entries(steps)) {
  await step()
  console.log(`${name}: good`)
}
