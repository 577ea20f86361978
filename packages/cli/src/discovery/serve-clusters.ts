import { isLoopback, type MeshNetworksSource, type TlsPair } from "@pilothouse/discovery"
import { createClient, defaultTransport, retrying } from "@pilothouse/runtime"
import { type Log, memoryMetrics, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import { parse } from "yaml"
import { fileOf } from "../apiserver/pem-files.ts"
import { asUsage } from "../client/connection.ts"
import { onHangUp, untilAskedToStop } from "../process.ts"
import { keepYoungGenerationSmall, settleAfterFirstState } from "../young-generation.ts"
import { CertificateRotation } from "./certificate-rotation.ts"
import { type DiscoverySource, type ServedDiscovery, serveDiscovery } from "./serve.ts"
import { type TlsFlags, tlsPair, xdsTls } from "./tls.ts"

export interface ServeFlags extends TlsFlags {
  readonly kubeconfig?: readonly string[]
  readonly bindAddress: string
  readonly port: number
  readonly meshNetworksFile?: string
  readonly acrossNetworks: "mutual-tls" | "all"
  readonly resourceTtl?: number
}

/** What `pilothouse discovery` does: serves xDS for the clusters of some kubeconfigs until it is asked to stop. */
export async function serveClusters(flags: ServeFlags): Promise<void> {
  refusePlain(flags)
  const meshNetworks = meshNetworksOf(flags)
  keepYoungGenerationSmall()
  const log = textLog("info", undefined, systemClock)
  const metrics = memoryMetrics()
  await using opened = await openSources(flags.kubeconfig ?? [undefined])
  const clients = opened.sources.map(({ client }) => client)
  const tls = xdsTls(flags, systemFiles, clients)
  using later = new DisposableStack()
  await using served = await serveDiscovery({
    sources: opened.sources,
    host: flags.bindAddress,
    port: flags.port,
    tls,
    meshNetworks,
    acrossNetworks: flags.acrossNetworks,
    ttl: flags.resourceTtl,
    onFirstState: () => void later.use(settleAfterFirstState(systemClock)),
    clock: systemClock,
    random: systemRandom(),
    log,
    metrics,
    metricsText: () => metrics.text(),
  })
  await using _rotating = tls === undefined ? undefined : rotateCertificate(flags, tls, served, log)
  process.stdout.write(`xDS is served at ${served.address}, debug pages at ${served.debugAddress}/debug\n`)
  await untilAskedToStop()
}

/** Told before a cluster is asked for anything: it is the command line that has to be mended. */
function refusePlain({ bindAddress, tlsCertFile, tlsPrivateKeyFile }: ServeFlags): void {
  if (isLoopback(bindAddress) || tlsCertFile !== undefined || tlsPrivateKeyFile !== undefined) return
  throw new PilothouseError(
    "USAGE",
    `expected --tls-cert-file and --tls-private-key-file with --bind-address ${bindAddress}, found neither: only loopback may be plain`,
  )
}

/** A path that is wrong is told at once: later, a file that is gone for a moment changes nothing. */
function meshNetworksOf({ meshNetworksFile: path }: ServeFlags): MeshNetworksSource | undefined {
  if (path === undefined) return undefined
  fileOf(systemFiles, "--mesh-networks-file", path)
  return { file: { files: systemFiles, path }, parse }
}

/** Follows the files of the certificate until disposed. */
function rotateCertificate(flags: TlsFlags, started: TlsPair, { renew }: ServedDiscovery, log: Log): AsyncDisposable {
  const read = () => tlsPair(flags, systemFiles) ?? started
  const rotation = new CertificateRotation({ read, renew, started, clock: systemClock, log })
  const hangUps = onHangUp(() => rotation.look())
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
    sources.push({ cluster: index === 0 ? "Kubernetes" : `cluster-${index + 1}`, client })
  }
  const held = opening.move()
  return { sources, [Symbol.asyncDispose]: () => held.disposeAsync() }
}
