import { connectionLimits } from "./connection-limits.ts"
import { Connections, type TcpServer } from "./connections.ts"
import { type HttpServer, readOneByOne } from "./pipelining.ts"

/** As much of a plain HTTP/1.1 server of Node as is needed. */
export interface PlainHttpServer extends TcpServer, HttpServer {
  requestTimeout: number
  headersTimeout: number
  keepAliveTimeout: number
  setTimeout(milliseconds: number): unknown
}

/** Of the descriptors of this process. */
const descriptorShare = 0.05

/** Options of node's createServer: how often it checks, in milliseconds, whether a request is complete in time. */
export const plainHttpOptions = { connectionsCheckingInterval: 5000 }

/**
 * Limits what the clients of a debug port may hold: connections, 30 s for headers, 60 s for a request, and 60 s without a byte in either direction,
 * also while an answer waits for its client. Requests of one connection are read one after the other.
 */
export function guardPlainHttp(server: PlainHttpServer): Connections {
  server.headersTimeout = 30_000
  server.requestTimeout = 60_000
  // Idle connections end as all silent ones do. Node would end them after 6 s, in the middle of the next request of a client that is late.
  server.keepAliveTimeout = 0
  server.setTimeout(60_000)
  const connections = new Connections({ limits: connectionLimits(descriptorShare) })
  connections.guard(server)
  readOneByOne(server, "connection")
  return connections
}
