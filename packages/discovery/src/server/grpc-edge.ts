import * as grpc from "@grpc/grpc-js"
import { PilothouseError } from "@pilothouse/seams"
import type { Hub } from "../push/hub.ts"
import type { Protocol } from "../push/responses.ts"
import { AdsCall, type AdsCallOptions } from "./ads-call.ts"
import { checkPort } from "./free-port.ts"
import { isLoopback } from "./loopback.ts"
import { Streams } from "./streams.ts"
import { TlsCredentials, type TlsPair } from "./tls-credentials.ts"

/** What is known of a client before it says anything. */
export interface Credentials {
  /** Of its certificate, where it has one that its authority signed. */
  readonly commonName?: string
  readonly uris: readonly string[]
  /** The bearer token that it sent. */
  readonly token?: string
}

export interface ServeXdsOptions {
  readonly hub: Hub
  /** 127.0.0.1 unless told otherwise. Anything else needs `tls`. */
  readonly host?: string
  /** 0: any free one. */
  readonly port?: number
  readonly tls?: TlsPair & {
    /** Undefined lets it in; a text is why not. Asked for each stream: certificates or service-account tokens. */
    authenticate(credentials: Credentials): Promise<string | undefined>
  }
  readonly maximumStreams?: number
  /** Milliseconds of silence after which a connection is asked whether it lives, and for which it may think about it; 30 s and 10 s unless told. */
  readonly keepalive?: { readonly time: number; readonly timeout: number }
}

export interface ServedXds extends AsyncDisposable {
  /** "127.0.0.1:15010" */
  readonly address: string
  /** Connections from now on meet this certificate; those that are there go on. Refuses one that is no good, and keeps what it has. */
  renew(pair: TlsPair): void
  close(): Promise<void>
}

const service = "envoy.service.discovery.v3.AggregatedDiscoveryService"
const methods: Readonly<Record<string, Protocol>> = { StreamAggregatedResources: "sotw", DeltaAggregatedResources: "delta" }

/** Puts a hub on a port, as gRPC. Ends when it listens. */
export async function serveXds(options: ServeXdsOptions): Promise<ServedXds> {
  const { hub, host = "127.0.0.1", port = 0, tls, maximumStreams = 100_000, keepalive = { time: 30_000, timeout: 10_000 } } = options
  if (tls === undefined && !isLoopback(host))
    throw new PilothouseError(
      "INVALID",
      `expected TLS for ${host}, found none: only loopback may be plain; give a certificate, or listen on 127.0.0.1`,
    )
  const streams = new Streams({ hub, maximum: maximumStreams })
  // As upstream: a client that is gone without a word is noticed after 40 s, and 4 MiB are enough for any list of names.
  const server = new grpc.Server({
    "grpc.keepalive_time_ms": keepalive.time,
    "grpc.keepalive_timeout_ms": keepalive.timeout,
    "grpc.max_receive_message_length": 4 * 1024 * 1024,
    "grpc.max_send_message_length": -1,
    // Of one connection; how many there may be in all is answered with a status, where the library would let them wait.
    "grpc.max_concurrent_streams": 100_000,
    interceptors: [takeCalls(streams, tls)],
  })
  server.addService(definition(), Object.fromEntries(Object.keys(methods).map((name) => [name, neverCalled])))
  if (port !== 0 && !host.startsWith("unix:")) await checkPort(host, port)
  const credentials = tls === undefined ? undefined : new TlsCredentials(tls)
  const bound = await listen(server, host, port, credentials?.forServer() ?? grpc.ServerCredentials.createInsecure())
  const close = async () => server.forceShutdown()
  return {
    address: host.startsWith("unix:") ? host : `${host.includes(":") ? `[${host}]` : host}:${bound}`,
    renew: (pair) => credentials?.renew(pair),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function definition(): grpc.ServiceDefinition {
  // Bytes in, bytes out: responses are already encoded, and a request that cannot be read is answered by us, with a reason.
  const asIs = (bytes: Buffer) => bytes
  const codec = { requestSerialize: asIs, requestDeserialize: asIs, responseSerialize: asIs, responseDeserialize: asIs }
  const method = (name: string) => ({ path: `/${service}/${name}`, requestStream: true, responseStream: true, ...codec })
  return Object.fromEntries(Object.keys(methods).map((name) => [name, method(name)]))
}

/** Calls of both methods are taken before they come to the library's handlers. */
function takeCalls(streams: Streams, tls: ServeXdsOptions["tls"]): grpc.ServerInterceptor {
  const authenticate: AdsCallOptions["authenticate"] =
    tls === undefined ? undefined : (metadata, call) => tls.authenticate(credentialsOf(metadata, call))
  return ({ path }, call) => {
    const protocol = methods[path.slice(path.lastIndexOf("/") + 1)]
    if (protocol === undefined) return call as unknown as grpc.ServerInterceptingCall
    // The library only calls `start` of it.
    const taken = new AdsCall(call, { authenticate, open: (peer) => streams.open(protocol, peer) })
    return taken as unknown as grpc.ServerInterceptingCall
  }
}

function neverCalled(): void {
  throw new PilothouseError(
    "PROTOCOL",
    "expected the call to be taken by the interceptor, found it handed on; use the version of @grpc/grpc-js in package.json",
  )
}

function credentialsOf(metadata: grpc.Metadata, call: grpc.ServerInterceptingCallInterface): Credentials {
  const certificate = call.getAuthContext().sslPeerCertificate
  const [authorization] = metadata.get("authorization")
  const token = /^Bearer (.+)$/i.exec(String(authorization ?? ""))?.[1]
  const uris = (certificate?.subjectaltname ?? "").split(", ").filter((name) => name.startsWith("URI:"))
  const commonName = certificate?.subject?.CN
  return {
    uris: uris.map((name) => name.slice("URI:".length)),
    ...(typeof commonName === "string" && { commonName }),
    ...(token !== undefined && { token }),
  }
}

async function listen(server: grpc.Server, host: string, port: number, credentials: grpc.ServerCredentials): Promise<number> {
  const address = host.startsWith("unix:") ? host : `${host.includes(":") ? `[${host}]` : host}:${port}`
  return new Promise((resolve, reject) => {
    server.bindAsync(address, credentials, (cause, bound) => {
      if (cause === null) resolve(bound)
      else reject(new PilothouseError("PORT_TAKEN", `expected ${address} to be free, found it taken; give another port`, { cause }))
    })
  })
}
