import type { Frame, Transport, TransportRequest } from "@pilothouse/seams"
import { systemClock } from "@pilothouse/seams/system"
import { afterEach } from "vitest"
import { anonymous, type Connection, type Credentials } from "../connection.ts"
import { type HttpTransportOptions, httpTransport } from "../http-transport.ts"
import { ca } from "./certificates.ts"
import { type TestHandler, type TestServer, type TestServerOptions, testServer } from "./server.ts"

export const get: TransportRequest = { verb: "GET", path: "/api/v1/pods", query: {}, headers: {} }
export const watch: TransportRequest = { ...get, query: { watch: "true" } }

export interface TestConnections {
  started(handler: TestHandler, options?: TestServerOptions): Promise<TestServer>
  connected(connection: Partial<Connection> & { server: string }, options?: Partial<HttpTransportOptions>): Transport
  /** Closes it after the test. */
  opened(one: AsyncDisposable): void
}

/** The servers and transports of a test file: all are closed after each test, the youngest first. */
export function testConnections(): TestConnections {
  const open: AsyncDisposable[] = []
  afterEach(async () => {
    for (const one of open.splice(0).reverse()) await one[Symbol.asyncDispose]()
  })
  return {
    async started(handler, options) {
      const server = await testServer(handler, options)
      open.push(server)
      return server
    },
    connected(connection, options = {}) {
      const made = httpTransport({ authorities: () => ca, credentials: anonymous, ...connection }, { clock: systemClock, ...options })
      open.push(made)
      return made.transport
    },
    opened: (one) => void open.push(one),
  }
}

export function fixed(presented: Awaited<ReturnType<Credentials["present"]>>): Credentials {
  return { present: async () => presented, refused: async () => false }
}

export async function textOf(transport: Transport, request: TransportRequest): Promise<string> {
  const { body } = await transport(request)
  if (body.type !== "bytes") throw new Error(`expected bytes, found ${body.type}`)
  return Buffer.from(body.bytes).toString()
}

export async function framesOf(transport: Transport, request: TransportRequest): Promise<AsyncIterator<Frame>> {
  const { body } = await transport(request)
  if (body.type !== "stream") throw new Error(`expected a stream, found ${body.type}`)
  return body.frames[Symbol.asyncIterator]()
}
