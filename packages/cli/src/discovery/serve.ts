import {
  AggregateRegistry,
  debugPages,
  Hub,
  type HubOptions,
  KubeRegistry,
  type MeshNetworksSource,
  runAudit,
  type ServedXds,
  type ServeXdsOptions,
  serveXds,
} from "@pilothouse/discovery"
import { type Client, serveEndpoints } from "@pilothouse/runtime"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import { onFirstState } from "./first-state.ts"
import { systemResolver } from "./system-resolver.ts"

export interface DiscoverySource {
  /** How the cluster is called where several are merged. */
  readonly cluster: string
  readonly client: Client
}

export interface ServeDiscoveryOptions {
  readonly sources: readonly DiscoverySource[]
  readonly host: string
  /** Of xDS; the debug pages are on the next one that is free. Where it is taken, the next that is not. */
  readonly port: number
  /** How clients are let in; plain, on loopback only, without it. */
  readonly tls?: ServeXdsOptions["tls"]
  /** Which network an address is in. */
  readonly meshNetworks?: MeshNetworksSource
  /** Which endpoints of other networks are told as the gateways there. */
  readonly acrossNetworks?: HubOptions["acrossNetworks"]
  /** Milliseconds after which clients forget what they do not hear of. */
  readonly ttl?: number
  /** Called once, when everything that was there at the start has been read. */
  readonly onFirstState?: () => void
  /** For /metrics beside the debug pages. */
  readonly metricsText?: () => string
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly metrics: Metrics
}

/** Disposing stops it. */
export interface ServedDiscovery extends AsyncDisposable {
  /** "127.0.0.1:15010" */
  readonly address: string
  /** "http://127.0.0.1:15014" */
  readonly debugAddress: string
  /** Another certificate from now on; refuses one that is no good. */
  readonly renew: ServedXds["renew"]
}

const portsToTry = 20

/** The registry of one or several clusters, told to Envoy and gRPC clients. */
export async function serveDiscovery({
  sources,
  host,
  port,
  tls,
  meshNetworks,
  acrossNetworks,
  ttl,
  onFirstState: told,
  metricsText,
  ...seams
}: ServeDiscoveryOptions): Promise<ServedDiscovery> {
  await using starting = new AsyncDisposableStack()
  const all = new AggregateRegistry({ log: seams.log })
  const resolve = systemResolver()
  const registries = sources.map(({ cluster, client }) => new KubeRegistry({ ...seams, client, cluster, meshNetworks, resolve }))
  for (const registry of registries) all.add(registry)
  if (told !== undefined) starting.use(onFirstState(all, told))
  const hub = starting.use(new Hub({ registry: all, acrossNetworks, ttl, clock: seams.clock, metrics: seams.metrics }))
  const xds = starting.use(await nextFree(port, (one) => serveXds({ hub, host, port: one, tls, log: seams.log })))
  // On loopback wherever xDS is: they show everything to everybody, without asking who it is.
  const pages = starting.use(await serveEndpoints(debugPages(hub, { metricsText })))
  const stop = new AbortController()
  const running = Promise.all([all.run(stop.signal), ...registries.map((registry) => runAudit(registry, {}, stop.signal))]).catch(
    (error: unknown) => {
      if (!stop.signal.aborted) seams.log.error("service discovery has stopped", { error: messageOf(error) })
    },
  )
  starting.defer(async () => {
    stop.abort()
    await running
  })
  const held = starting.move()
  return { address: xds.address, debugAddress: pages.address, renew: xds.renew, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

async function nextFree<T>(first: number, listen: (port: number) => Promise<T>): Promise<T> {
  for (let port = first; ; port++) {
    try {
      return await listen(port)
    } catch (error) {
      const taken = error instanceof PilothouseError && error.code === "PORT_TAKEN"
      if (!taken || first === 0 || port >= first + portsToTry) throw error
    }
  }
}
