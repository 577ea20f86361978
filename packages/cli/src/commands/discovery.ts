import { envoyBootstrap, grpcBootstrap } from "@pilothouse/discovery"
import { createClient, defaultTransport, retrying } from "@pilothouse/runtime"
import { memoryMetrics, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { parse, stringify } from "yaml"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { explainEndpoint } from "../discovery/explain-endpoint.ts"
import { formatExplanation } from "../discovery/format-explanation.ts"
import { type DiscoverySource, serveDiscovery } from "../discovery/serve.ts"
import { oneOf, somePath, wholeNumber } from "../flag-values.ts"
import { untilAskedToStop } from "../process.ts"

interface ServeFlags {
  readonly kubeconfig?: readonly string[]
  readonly bindAddress: string
  readonly port: number
  readonly meshNetworksFile?: string
}

interface BootstrapFlags {
  readonly for: "grpc" | "envoy"
  readonly server: string
  readonly namespace: string
  readonly nodeId?: string
}

export function addDiscoveryCommand(program: Command): void {
  const command = program
    .command("discovery")
    .description("who offers what, where: Services and their endpoints as xDS for Envoy and gRPC clients")
    .option("--kubeconfig <path...>", "clusters to read; said again, they are merged by hostname (default: as kubectl)")
    .option("--bind-address <address>", "address to listen on; only loopback without TLS", "127.0.0.1")
    .option("--port <number>", "port of xDS, or the next that is free", wholeNumber("--port", 0, 65_535), 15_010)
    .option("--mesh-networks-file <path>", "which network an address is in, in Istio's format; followed", somePath("--mesh-networks-file"))
    .action(serve)
  command
    .command("bootstrap")
    .description("print the bootstrap of a client")
    .requiredOption("--for <client>", "grpc or envoy", oneOf("--for", ["grpc", "envoy"]))
    .option("--server <address>", "where the xDS server is", "127.0.0.1:15010")
    .option("-n, --namespace <name>", "the client's namespace", "default")
    .option("--node-id <id>", "who the client is (default: made from the namespace)")
    .action(bootstrap)
  addConnectionOptions(command.command("explain <host> [ip]"))
    .description("why an endpoint is told to clients, or not: explain web.default.svc.cluster.local:8080 10.244.1.3")
    .action(explainHost)
}

async function serve(flags: ServeFlags): Promise<void> {
  const log = textLog("info")
  await using opened = await openSources(flags.kubeconfig ?? [undefined])
  await using served = await serveDiscovery({
    sources: opened.sources,
    host: flags.bindAddress,
    port: flags.port,
    meshNetworks: flags.meshNetworksFile === undefined ? undefined : { file: { files: systemFiles, path: flags.meshNetworksFile }, parse },
    clock: systemClock,
    random: systemRandom(),
    log,
    metrics: memoryMetrics(),
  })
  process.stdout.write(`xDS is served at ${served.address}, debug pages at ${served.debugAddress}/debug\n`)
  await untilAskedToStop()
}

async function openSources(
  paths: readonly (string | undefined)[],
): Promise<AsyncDisposable & { readonly sources: readonly DiscoverySource[] }> {
  await using opening = new AsyncDisposableStack()
  const sources: DiscoverySource[] = []
  for (const [index, kubeconfig] of paths.entries()) {
    const opened = opening.use(await defaultTransport({ kubeconfig, clock: systemClock }))
    const transport = retrying(opened.transport, { clock: systemClock, random: systemRandom() })
    const client = createClient(transport, { userAgent: "pilothouse-discovery", clock: systemClock })
    sources.push({ cluster: index === 0 ? "Kubernetes" : `cluster-${index + 1}`, client })
  }
  const held = opening.move()
  return { sources, [Symbol.asyncDispose]: () => held.disposeAsync() }
}

function bootstrap(flags: BootstrapFlags): void {
  const [host = "", port] = flags.server.split(":")
  if (host === "" || !/^\d+$/.test(port ?? ""))
    throw new PilothouseError("USAGE", `expected host:port for --server, found "${flags.server}"`)
  const options = {
    host,
    port: Number(port),
    namespace: flags.namespace,
    nodeId: flags.nodeId ?? `sidecar~127.0.0.1~client.${flags.namespace}~${flags.namespace}.svc.cluster.local`,
  }
  if (flags.for === "grpc") process.stdout.write(`${JSON.stringify(grpcBootstrap(options), undefined, 2)}\n`)
  else process.stdout.write(stringify(envoyBootstrap({ ...options, ownPorts: true, adminPort: 15_000 })))
}

async function explainHost(host: string, ip: string | undefined, options: ConnectionOptions): Promise<void> {
  await using connection = await openConnection(options)
  const explanation = await explainEndpoint({ client: connection.client, clock: systemClock, random: systemRandom() }, host, ip)
  process.stdout.write(formatExplanation(explanation))
}
