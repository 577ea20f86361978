import { Readable } from "node:stream"
import { expect, test } from "vitest"
import { readBody, wholeBody } from "./whole-body.ts"

function received(chunks: readonly string[], headers: Record<string, string> = {}) {
  return { headers, body: Readable.from(chunks.map((chunk) => Buffer.from(chunk))) }
}

async function textOf(...given: Parameters<typeof received>): Promise<string | undefined> {
  const body = await wholeBody(received(...given))
  return body.type === "bytes" ? Buffer.from(body.bytes).toString() : undefined
}

const rows: readonly (readonly [string, Parameters<typeof received>, string | undefined])[] = [
  ["nothing is no body", [[]], undefined],
  ["one chunk", [["{}"]], "{}"],
  ["several", [["{", '"a":', "1}"]], '{"a":1}'],
  ["as many bytes as announced", [["{", "}"], { "content-length": "2" }], "{}"],
  ["an announcement of nothing", [[], { "content-length": "0" }], undefined],
  ["an announcement that is no number", [["{}"], { "content-length": "many" }], "{}"],
  ["an announcement of more than there is room for", [["{}"], { "content-length": "99999999999999" }], "{}"],
]
test.each(rows)("%s", async (_, given, text) => expect(await textOf(...given)).toBe(text))

test("its content type is kept", async () => {
  expect(await wholeBody(received(["x"], { "content-type": "text/plain" }))).toMatchObject({ type: "bytes", contentType: "text/plain" })
})

test("more than was announced is refused, and ends no process", async () => {
  await expect(textOf(["{}", "{}"], { "content-length": "3" })).rejects.toThrow("sent more than the 3 bytes")
})

test("a stream that is destroyed before its end is no answer", async () => {
  const body = new Readable({ read() {} })
  const whole = wholeBody({ headers: {}, body })
  body.push("half")
  body.destroy()
  await expect(whole).rejects.toThrow("closed before the whole answer had come")
})

test("a reader is given every chunk, and its value is the body", async () => {
  const chunks: string[] = []
  const reader = { push: (chunk: Uint8Array) => chunks.push(Buffer.from(chunk).toString()), end: () => chunks.join("|") }
  expect(await readBody(received(["{", "}"]), reader)).toEqual({ type: "value", value: "{|}" })
})

test.each([
  ["an error", new Error("no list")],
  ["something else", "no list"],
])("a reader that throws %s refuses the body, is given nothing more, and ends no process", async (_what, thrown) => {
  let pushed = 0
  const push = () => {
    pushed++
    throw thrown
  }
  const { body } = received(["{", "}", "{}"])
  await expect(readBody({ body }, { push, end: () => expect.unreachable() })).rejects.toThrow("no list")
  expect([pushed, body.destroyed]).toEqual([1, true])
})

test("a reader of a stream that broke gives nothing", async () => {
  const body = new Readable({ read() {} })
  const read = readBody({ body }, { push() {}, end: () => expect.unreachable() })
  body.push("half")
  body.destroy()
  await expect(read).rejects.toThrow("closed before the whole answer had come")
})
