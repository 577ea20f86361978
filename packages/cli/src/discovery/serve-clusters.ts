import { isLoopback, type MeshNetworksSource, type TlsPair } from "@pilothouse/discovery"
import { createClient, defaultTransport, retrying } from "@pilothouse/runtime"
import { type Log, memoryMetrics, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import { parse } from "yaml"
import { CertificateRotation } from "../certificates/certificate-rotation.ts"
import { fileOf } from "../certificates/pem-files.ts"
import { asUsage } from "../client/connection.ts"
import { onHangUp, waitForStopSignal } from "../process/process.ts"
import { watchEventLoop } from "../process/watchdog.ts"
import { limitYoungGeneration, settleAfterFirstState } from "./heap-size.ts"
import { registrySettings } from "./registry-flags.ts"
import { type DiscoverySource, type ServeDiscoveryOptions, type ServedDiscovery, serveDiscovery } from "./serve.ts"
import type { ServeFlags } from "./serve-flags.ts"
import { type TlsFlags, tlsPair, xdsTls } from "./tls.ts"

/** Runs `pilothouse discovery`: serves xDS for the clusters of some kubeconfigs until it is asked to stop. */
export async function serveClusters(flags: ServeFlags): Promise<void> {
  refusePlain(flags)
  const names = clusterNames(flags)
  const meshNetworks = meshNetworksOf(flags)
  using growth = limitYoungGeneration()
  const log = textLog("info", undefined, systemClock)
  const metrics = memoryMetrics()
  await using opened = await openSources(flags.kubeconfig ?? [undefined], names)
  const clients = opened.sources.map(({ client }) => client)
  const tls = xdsTls(flags, systemFiles, clients, systemClock)
  using later = new DisposableStack()
  await using served = await serveDiscovery({
    sources: opened.sources,
    ...serveOptions(flags),
    tls,
    meshNetworks,
    onFirstState: () => {
      growth[Symbol.dispose]()
      later.use(settleAfterFirstState(systemClock))
    },
    clock: systemClock,
    random: systemRandom(),
    log,
    metrics,
    metricsText: () => metrics.text(),
  })
  await using _rotating = tls === undefined ? undefined : rotateCertificate(flags, tls, served, log)
  // A program that reads where it is may stop it in the same moment.
  const stopped = waitForStopSignal()
  process.stdout.write(`xDS is served at ${served.address}, debug pages at ${served.debugAddress}/debug\n`)
  using _watchdog = watchEventLoop({ clock: systemClock, log, metrics })
  await stopped
}

/** Reported before any request to a cluster: the fault is in the command line. */
function refusePlain({ bindAddress, tlsCertFile, tlsPrivateKeyFile }: ServeFlags): void {
  if (isLoopback(bindAddress) || tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined) return
  throw new PilothouseError(
    "USAGE",
    `expected --tls-cert-file and --tls-private-key-file with --bind-address ${bindAddress}, found neither: only loopback may be plain`,
  )
}

/** A path that is wrong is reported at once: later, a file that is gone for a moment changes nothing. */
function meshNetworksOf({ meshNetworksFile: path, meshNetworksConfigMap: name }: ServeFlags): MeshNetworksSource | undefined {
  if (path !== undefined && name !== undefined)
    throw new PilothouseError("USAGE", "expected --mesh-networks-file or --mesh-networks-config-map, found both; leave one out")
  if (name !== undefined) return { configMap: { name }, parse }
  if (path === undefined) return undefined
  fileOf(systemFiles, "--mesh-networks-file", path)
  return { file: { files: systemFiles, path }, parse }
}

/** Follows the files of the certificate until disposed. */
function rotateCertificate(flags: TlsFlags, started: TlsPair, { renew }: ServedDiscovery, log: Log): AsyncDisposable {
  const read = () => tlsPair(flags, systemFiles) ?? started
  const rotation = new CertificateRotation({ read, renew, started, clock: systemClock, log })
  const hangUps = onHangUp(() => rotation.check())
  const stop = new AbortController()
  const running = rotation.run(stop.signal)
  return {
    [Symbol.asyncDispose]: async () => {
      hangUps[Symbol.dispose]()
      stop.abort()
      await running
    },
  }
}

async function openSources(
  paths: readonly (string | undefined)[],
  names: readonly string[],
): Promise<AsyncDisposable & { readonly sources: readonly DiscoverySource[] }> {
  await using opening = new AsyncDisposableStack()
  const sources: DiscoverySource[] = []
  for (const [index, kubeconfig] of paths.entries()) {
    const asked = defaultTransport({ kubeconfig, clock: systemClock }).catch((error: unknown) => {
      throw asUsage(error, { kubeconfig })
    })
    const opened = opening.use(await asked)
    const transport = retrying(opened.transport, { clock: systemClock, random: systemRandom() })
    const client = createClient(transport, { userAgent: "pilothouse-discovery", clock: systemClock })
    sources.push({ cluster: names[index]!, client })
  }
  const held = opening.move()
  return { sources, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

type FlagOptions = "host" | "port" | "debugPort" | "reading" | "syncTimeout" | "limits" | "acrossNetworks" | "ttl"

/** Returns the options of the server that the flags set. */
export function serveOptions(flags: ServeFlags): Pick<ServeDiscoveryOptions, FlagOptions> {
  const { maxStreams, maxStreamsPerConnection, maxConnections } = flags
  return {
    host: flags.bindAddress,
    port: flags.port,
    debugPort: flags.debugPort,
    reading: registrySettings(flags),
    // 0 is for ever.
    syncTimeout: flags.syncTimeout || undefined,
    limits: { maximumStreams: maxStreams, streamsPerConnection: maxStreamsPerConnection, maximumConnections: maxConnections },
    acrossNetworks: flags.acrossNetworks,
    ttl: flags.resourceTtl,
  }
}

/** Returns the names of the clusters, in their order, and refuses two of one name. */
export function clusterNames({ kubeconfig = [""], clusterId }: Pick<ServeFlags, "kubeconfig" | "clusterId">): readonly string[] {
  if (clusterId === undefined) return kubeconfig.map((_, index) => (index === 0 ? "Kubernetes" : `cluster-${index + 1}`))
  const wanted = kubeconfig.length
  if (clusterId.length === wanted && new Set(clusterId).size === wanted) return clusterId
  const found = clusterId.join(", ")
  throw new PilothouseError("USAGE", `expected ${wanted} different names for --cluster-id, one for each cluster, found ${found}`)
}
