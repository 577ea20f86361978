import {
  AggregateRegistry,
  debugPages,
  Hub,
  type HubOptions,
  KubeRegistry,
  type MeshNetworksSource,
  prepareMessages,
  type Registry,
  runAudit,
  type ServedXds,
  type ServeXdsOptions,
  serveXds,
} from "@pilothouse/discovery"
import { type Client, serveEndpoints } from "@pilothouse/runtime"
import { type Clock, type Log, type Metrics, messageOf, PilothouseError, type Random } from "@pilothouse/seams"
import type { RegistrySettings } from "./registry-flags.ts"
import { systemResolver } from "./system-resolver.ts"

export interface DiscoverySource {
  /** How the cluster is called where several are merged. */
  readonly cluster: string
  readonly client: Client
}

export interface ServeDiscoveryOptions {
  readonly sources: readonly DiscoverySource[]
  readonly host: string
  /** Of xDS. Where it is taken, the next that is not. */
  readonly port: number
  /** Whether a taken port of xDS is an error instead. */
  readonly exactPort?: boolean
  /** Of the debug pages, in the same way; 15014 by default. */
  readonly debugPort?: number
  /** How clients are let in; plain, on loopback only, without it. */
  readonly tls?: ServeXdsOptions["tls"]
  /** What of each cluster is read, and how it is named. */
  readonly reading?: RegistrySettings
  /** Milliseconds for which a cluster that does not answer at the start, other than the first, holds up the others; for ever by default. */
  readonly syncTimeout?: number
  readonly limits?: Pick<ServeXdsOptions, "maximumStreams" | "streamsPerConnection" | "maximumConnections">
  /** Which network an address is in. */
  readonly meshNetworks?: MeshNetworksSource
  /** Which endpoints of other networks are replaced by the gateways there. */
  readonly acrossNetworks?: HubOptions["acrossNetworks"]
  /** Milliseconds after which clients forget a resource without a heartbeat. */
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
const lastPort = 65_535
/** Istio's for such pages. */
export const defaultDebugPort = 15_014
/** Milliseconds after which the clusters have been asked for everything and are at work on their answers. */
const untilAsked = 100

/** Serves the registry of one or several clusters to Envoy and gRPC clients. */
export async function serveDiscovery({
  sources,
  host,
  port,
  exactPort = false,
  debugPort = defaultDebugPort,
  tls,
  reading: settings,
  syncTimeout,
  limits,
  meshNetworks,
  acrossNetworks,
  ttl,
  onFirstState: listener,
  metricsText,
  ...seams
}: ServeDiscoveryOptions): Promise<ServedDiscovery> {
  await using starting = new AsyncDisposableStack()
  const all = new AggregateRegistry({ log: seams.log })
  const resolve = systemResolver()
  const registries = sources.map(({ cluster, client }, index) => {
    const patience = index === 0 ? undefined : syncTimeout
    return new KubeRegistry({ ...seams, ...settings, client, cluster, meshNetworks, resolve, syncTimeout: patience })
  })
  for (const registry of registries) all.add(registry)
  if (listener !== undefined) starting.use(onFirstState(all, listener))
  const hub = starting.use(new Hub({ registry: all, acrossNetworks, ttl, clock: seams.clock, metrics: seams.metrics }))
  // Before anything listens: the clusters answer meanwhile.
  const reading = starting.use(read(all, registries, seams))
  starting.use(seams.clock.timer(untilAsked, "messages of xDS", prepareMessages))
  const xds = starting.use(
    await nextFree(port, (one) => serveXds({ ...limits, hub, host, port: one, tls, clock: seams.clock, log: seams.log }), exactPort),
  )
  // On loopback wherever xDS is: they show everything to every client, without authentication.
  const debug = debugPages(hub, { metricsText, sources: registries })
  const pages = starting.use(await nextFree(debugPort, (one) => serveEndpoints(debug, { port: one })))
  const held = starting.move()
  const stop = async () => {
    await reading[Symbol.asyncDispose]()
    await held.disposeAsync()
  }
  return { address: xds.address, debugAddress: pages.address, renew: xds.renew, [Symbol.asyncDispose]: stop }
}

/** Follows the clusters, and audits what is known of each, until disposed; again is no loss. */
function read(all: AggregateRegistry, registries: readonly KubeRegistry[], { log }: Pick<ServeDiscoveryOptions, "log">): AsyncDisposable {
  const stop = new AbortController()
  const running = Promise.all([all.run(stop.signal), ...registries.map((registry) => runAudit(registry, {}, stop.signal))]).catch(
    (error: unknown) => {
      if (!stop.signal.aborted) log.error("service discovery has stopped", { error: messageOf(error) })
    },
  )
  return {
    [Symbol.asyncDispose]: async () => {
      stop.abort()
      await running
    },
  }
}

async function nextFree<T>(first: number, listen: (port: number) => Promise<T>, isExact = false): Promise<T> {
  for (let port = first; ; port++) {
    try {
      return await listen(port)
    } catch (error) {
      const taken = error instanceof PilothouseError && error.code === "PORT_TAKEN"
      if (!taken || isExact || first === 0 || port >= Math.min(first + portsToTry, lastPort)) throw error
    }
  }
}

/** Calls back once, when everything that was there at the start has been read. */
export function onFirstState(registry: Pick<Registry, "synced" | "subscribe">, notify: () => void): Disposable {
  const ignore = () => {}
  const subscription = registry.subscribe({
    serviceUpdate: ignore,
    endpointsUpdate: ignore,
    workloadUpdate: ignore,
    configUpdate() {
      if (!registry.synced) return
      subscription[Symbol.dispose]()
      notify()
    },
  })
  return subscription
}
