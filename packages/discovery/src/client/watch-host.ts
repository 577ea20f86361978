import type * as Grpc from "@grpc/grpc-js"
import { type Clock, type Log, messageOf, onAbort, PilothouseError } from "@pilothouse/seams"
import { adsMethods } from "../xds/methods.ts"
import { AdsConversation, type ClientNode } from "./ads-conversation.ts"
import { type ServerCredentialsOptions, serverCredentials } from "./server-credentials.ts"
import { reasonOf } from "./stream-end.ts"
import type { EndpointChange, WatchedEndpoint } from "./watched-endpoints.ts"

/** The service to watch, and how the server is reached. */
export interface WatchHostOptions extends ServerCredentialsOptions {
  /** Sent as a bearer token. Only over TLS. */
  readonly token?: string
  readonly node: ClientNode
  /** "web.shop.svc.cluster.local", or any leading part of it that ends before a dot. */
  readonly hostname: string
  /** Of the service; by default all of them. */
  readonly port?: number
  readonly clock: Clock
  readonly log: Log
  onChange(change: EndpointChange): void
  onClusters(names: readonly string[]): void
}

const firstWait = 1_000
const maxWait = 30_000

/** Follows the endpoints of a host as a client of the xDS server does, until told to stop. A stream that ends is opened again. */
export async function watchHost(options: WatchHostOptions, signal: AbortSignal): Promise<void> {
  const known = new Map<string, readonly WatchedEndpoint[]>()
  const grpc = await loadGrpc()
  const { credentials, options: channel } = serverCredentials(grpc, options)
  const client = new grpc.Client(options.server, credentials, channel)
  try {
    for (let wait = firstWait; !signal.aborted; wait = Math.min(2 * wait, maxWait)) {
      const { reason, hasReceived } = await oneStream(client, new grpc.Metadata(), { ...options, known }, signal)
      if (signal.aborted) return
      if (hasReceived) wait = firstWait
      options.log.warn("the stream has ended; trying again", { reason, seconds: wait / 1_000 })
      await options.clock.sleep(wait, { name: "xDS is asked again", signal }).catch(() => undefined)
    }
  } finally {
    client.close()
  }
}

/** Whether a cluster is one of the host's: "outbound|80||web.shop.svc.cluster.local". */
export function isClusterOf(cluster: string, hostname: string, port?: number): boolean {
  const [, clusterPort, , host = ""] = cluster.split("|")
  return (host === hostname || host.startsWith(`${hostname}.`)) && (port === undefined || clusterPort === String(port))
}

interface Ended {
  readonly reason: string
  /** Whether the server said anything. */
  readonly hasReceived: boolean
}

interface StreamOptions extends WatchHostOptions {
  readonly known: Map<string, readonly WatchedEndpoint[]>
}

function oneStream(client: Grpc.Client, metadata: Grpc.Metadata, options: StreamOptions, signal: AbortSignal): Promise<Ended> {
  const { node, hostname, port, token, known, onChange, onClusters } = options
  const asIs = (bytes: Buffer) => bytes
  if (token !== undefined) metadata.set("authorization", `Bearer ${token}`)
  return new Promise((resolve) => {
    let hasReceived = false
    const call = client.makeBidiStreamRequest(adsMethods.sotw, asIs, asIs, metadata)
    const isWanted = (cluster: string) => isClusterOf(cluster, hostname, port)
    const send = (bytes: Uint8Array) => void call.write(Buffer.from(bytes))
    const conversation = new AdsConversation({ node, isWanted, send, onChange, onClusters }, known)
    const listening = onAbort(signal, () => call.cancel())
    const end = (reason: string) => {
      listening[Symbol.dispose]()
      resolve({ reason, hasReceived })
    }
    call.on("data", (bytes: Buffer) => {
      hasReceived = true
      try {
        conversation.take(bytes)
      } catch (error) {
        end(`the server sent what cannot be read: ${messageOf(error)}`)
        call.cancel()
      }
    })
    call.on("error", (error: Grpc.ServiceError) => end(reasonOf(error, options)))
    call.on("end", () => end("the server ended it"))
    conversation.begin()
  })
}

/** Loads the optional peer dependency that only a client of the xDS server needs: a server runs without it, and without the memory that it takes. */
export async function loadGrpc(load: () => Promise<typeof Grpc> = () => import("@grpc/grpc-js")): Promise<typeof Grpc> {
  try {
    return await load()
  } catch (cause) {
    if (!isNotFound(cause)) throw cause
    throw new PilothouseError(
      "USAGE",
      "expected the package @grpc/grpc-js, found none; install it beside Pilothouse: npm install @grpc/grpc-js",
      { cause },
    )
  }
}

/** Another module that is absent is a damaged installation, which this would not mend. */
function isNotFound(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown) || thrown.code !== "ERR_MODULE_NOT_FOUND") return false
  return thrown.message.includes("@grpc/grpc-js") // prose: Node's error has no field with the name of the package
}
