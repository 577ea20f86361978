import { once } from "node:events"
import { recordingLog, type Transport, valueBody, virtualFiles } from "@pilothouse/seams"
import { systemClock, systemRandom } from "@pilothouse/seams/system"
import { afterEach, beforeAll, describe, expect, test } from "vitest"
import type { Certificates } from "../certificates/certificates.ts"
import { ensureCertificates } from "../certificates/ensure-certificates.ts"
import { type HttpsServer, serveHttps } from "./serve.ts"
import { ask, type ClientOptions, type Protocol, textOf } from "./testing/client.ts"

let certificates: Certificates
const open: HttpsServer[] = []

beforeAll(async () => {
  const seams = { files: virtualFiles(systemClock), clock: systemClock, random: systemRandom() }
  certificates = await ensureCertificates({ ...seams, directory: "/pki", serviceIp: "10.96.0.1" })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close(0)))
})

async function serve(transport: Transport): Promise<ClientOptions & { readonly server: HttpsServer }> {
  const { log } = recordingLog()
  const options = { host: "127.0.0.1", port: 0, certificates, clock: systemClock, random: systemRandom(), log }
  const server = await serveHttps({ ...options, transportFor: () => transport })
  open.push(server)
  return { port: server.port, ca: certificates.ca.certificate, server }
}

const silence: AsyncIterable<never> = { [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => {}) }) }

describe.each<Protocol>(["HTTP/1.1", "HTTP/2"])("closing over %s", (protocol) => {
  test("ends watches properly, and nothing stays open", async () => {
    const client = await serve(async () => ({ status: 200, headers: {}, body: { type: "stream", frames: silence, endsAnywhere: true } }))
    const answer = await ask(protocol, client, { path: "/x?watch=1" })
    const closed = client.server.close()
    expect(await textOf(answer)).toBe("")
    await closed
    await expect(ask(protocol, client, { path: "/x" })).rejects.toThrow()
  })

  test("breaks off an answer that would go on", async () => {
    const client = await serve(async () => {
      async function* frames() {
        yield { type: "bytes", bytes: Buffer.from("the first half") } as const
        yield* silence
      }
      return { status: 200, headers: { "content-type": "text/plain" }, body: { type: "stream", frames: frames() } }
    })
    const answer = await ask(protocol, client, { path: "/x" })
    const read = textOf(answer).then(
      () => "whole",
      () => "broken",
    )
    await once(answer.body, "readable")
    await client.server.close(60_000)
    expect(await read).toBe("broken")
    answer.leave()
  })

  test("lets an answer in the making be finished", async () => {
    const go = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    const client = await serve(async () => {
      asked.resolve()
      await go.promise
      return { status: 200, headers: {}, body: valueBody({ done: true }) }
    })
    const answer = ask(protocol, client, { path: "/x" })
    await asked.promise
    const closed = client.server.close(60_000)
    go.resolve()
    expect(await textOf(await answer)).toBe('{"done":true}')
    await closed
  })

  test("cuts off what does not end within the grace period", async () => {
    const asked = Promise.withResolvers<void>()
    const client = await serve(() => {
      asked.resolve()
      return new Promise(() => {})
    })
    const refused = ask(protocol, client, { path: "/x" }).catch((error: unknown) => error)
    await asked.promise
    await client.server.close(1)
    expect(await refused).toBeInstanceOf(Error)
  })
})
