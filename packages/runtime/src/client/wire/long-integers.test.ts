import { type Job, jobs } from "@pilothouse/api/batch/v1"
import { type Transport, type TransportResponse, valueBody } from "@pilothouse/seams"
import { expect, test } from "vitest"
import { encodedBody } from "../../http/message-parts.ts"
import { createClient } from "../client.ts"

const managed = '"managedFields":[{"manager":"m","fieldsV1":{"f:spec":{}}}]'
const job = (name: string) =>
  `{"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"${name}","namespace":"default","generation":9007199254740993,${managed}},"spec":{"activeDeadlineSeconds":9223372036854775807,"parallelism":1}}`
const encoded = (text: string) => new TextEncoder().encode(text)

/** A server behind a wire: its answers are bytes. */
const server: Transport = async ({ path, query }): Promise<TransportResponse> => {
  const headers = { "content-type": "application/json" }
  const list = `{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"7"},"items":[${job("a")},${job("b")}]}`
  if (query.watch !== undefined) {
    const line = encoded(`{"type":"ADDED","object":${job("a")}}\n`)
    const frames = async function* () {
      yield { type: "bytes", bytes: line.subarray(0, 200) } as const
      yield { type: "bytes", bytes: line.subarray(200) } as const
    }
    return { status: 200, headers, body: { type: "stream", frames: frames() } }
  }
  const text = path.endsWith("/jobs") ? list : job("a")
  return { status: 200, headers, body: { type: "bytes", bytes: encoded(text), contentType: "application/json" } }
}

const numbersOf = ({ metadata, spec }: Job) => [metadata.generation, spec?.activeDeadlineSeconds, spec?.parallelism]
const exact = [9007199254740993n, 9223372036854775807n, 1]

test.each([true, false])(
  "the client reads objects, lists and watches with all digits of their integers (without managedFields: %s)",
  async (skip) => {
    const client = createClient(server)
    const options = { skipManagedFields: skip }
    expect(numbersOf(await client.get(jobs, "default/a"))).toEqual(exact)
    expect((await client.list(jobs, options)).items.map(numbersOf)).toEqual([exact, exact])
    for await (const event of await client.watch(jobs, options)) expect(numbersOf(event.object as Job)).toEqual(exact)
  },
)

test("the client writes them so", async () => {
  const read = await createClient(server).get(jobs, "default/a")
  const request = { verb: "PUT", path: "/", query: {}, headers: {}, body: valueBody(read) } as const
  expect(new TextDecoder().decode(encodedBody(request)?.bytes)).toBe(job("a"))
})
