import { envoyBootstrap, grpcBootstrap } from "@pilothouse/discovery"
import { PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { stringify } from "yaml"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { explainEndpoint } from "../discovery/explain-endpoint.ts"
import { formatExplanation } from "../discovery/format-explanation.ts"
import { serveClusters } from "../discovery/serve-clusters.ts"
import { nodeIdOf, type WatchFlags, watchDiscovery } from "../discovery/watch.ts"
import { goDuration, oneOf, somePath, wholeNumber } from "../flag-values.ts"
import { untilAskedToStop } from "../process.ts"

interface BootstrapFlags {
  readonly for: "grpc" | "envoy"
  readonly server: string
  readonly namespace: string
  readonly nodeId?: string
  readonly certificateAuthority?: string
  readonly network?: string
}

export function addDiscoveryCommand(program: Command): void {
  const command = program
    .command("discovery")
    .description("who offers what, where: Services and their endpoints as xDS for Envoy and gRPC clients")
    .enablePositionalOptions()
    .option("--kubeconfig <path...>", "clusters to read; said again, they are merged by hostname (default: as kubectl)")
    .option("--bind-address <address>", "address to listen on; only loopback without TLS", "127.0.0.1")
    .option("--port <number>", "port of xDS, or the next that is free", wholeNumber("--port", 0, 65_535), 15_010)
    .option(
      "--tls-cert-file <path>",
      "certificate of the server (PEM); needed for any other address than loopback. Followed, and read again at SIGHUP",
      somePath("--tls-cert-file"),
    )
    .option("--tls-private-key-file <path>", "key of that certificate (PEM)", somePath("--tls-private-key-file"))
    .option(
      "--client-ca-file <path>",
      "authority of client certificates (PEM); without it clients show a service-account token",
      somePath("--client-ca-file"),
    )
    .option("--token-audience <name...>", "whom such a token must be meant for (default: the API server)")
    .option("--mesh-networks-file <path>", "which network an address is in, in Istio's format; followed", somePath("--mesh-networks-file"))
    .option(
      "--across-networks <which>",
      "endpoints of other networks that are told as the gateways there: mutual-tls (as Istio's gateways need it) or all",
      oneOf("--across-networks", ["mutual-tls", "all"]),
      "mutual-tls",
    )
    .option(
      "--resource-ttl <duration>",
      "clients that can do so forget what they do not hear of for this time; 1m (default: never)",
      goDuration("--resource-ttl"),
    )
    .action(serveClusters)
  command
    .command("bootstrap")
    .description("print the bootstrap of a client")
    .requiredOption("--for <client>", "grpc or envoy", oneOf("--for", ["grpc", "envoy"]))
    .option("--server <address>", "where the xDS server is", "127.0.0.1:15010")
    .option("-n, --namespace <name>", "the client's namespace", "default")
    .option("--node-id <id>", "who the client is (default: made from the namespace)")
    .option("--certificate-authority <path>", "where the client has the server's authority (PEM); plain without it")
    .option("--network <name>", "the network that the client is in, where gateways join several")
    .action(bootstrap)
  command
    .command("watch <host>")
    .description("follow a host as a client does, and print what changes: watch web.default:80")
    .option("--server <address>", "where the xDS server is", "127.0.0.1:15010")
    .option("-n, --namespace <name>", "the client's namespace", "default")
    .option("--certificate-authority <path>", "authority of the server (PEM); plain without it", somePath("--certificate-authority"))
    .option("--token-file <path>", "a service-account token to show", somePath("--token-file"))
    .action(watch)
  addConnectionOptions(command.command("explain <host> [ip]"))
    .description("why an endpoint is told to clients, or not: explain web.default.svc.cluster.local:8080 10.244.1.3")
    .action(explainHost)
}

function bootstrap(flags: BootstrapFlags): void {
  const options = {
    ...hostAndPort(flags.server),
    namespace: flags.namespace,
    nodeId: flags.nodeId ?? nodeIdOf(flags.namespace),
    authorityFile: flags.certificateAuthority,
    network: flags.network,
  }
  if (flags.for === "grpc") process.stdout.write(`${JSON.stringify(grpcBootstrap(options), undefined, 2)}\n`)
  else process.stdout.write(stringify(envoyBootstrap({ ...options, ownPorts: true, adminPort: 15_000 })))
}

function hostAndPort(server: string): { readonly host: string; readonly port: number } {
  const [, address, name, port] = /^(?:\[([^\]]+)\]|([^:]+)):(\d+)$/.exec(server) ?? []
  const host = address ?? name
  if (host !== undefined && port !== undefined) return { host, port: Number(port) }
  throw new PilothouseError("USAGE", `expected host:port for --server, found "${server}"`)
}

async function watch(host: string, flags: WatchFlags): Promise<void> {
  hostAndPort(flags.server)
  const stop = new AbortController()
  const asked = untilAskedToStop().then(() => stop.abort())
  const seams = {
    clock: systemClock,
    log: textLog("info", undefined, systemClock),
    files: systemFiles,
    print: (line: string) => void process.stdout.write(`${line}\n`),
  }
  await Promise.race([watchDiscovery(host, flags, seams, stop.signal), asked])
}

async function explainHost(host: string, ip: string | undefined, options: ConnectionOptions): Promise<void> {
  await using connection = await openConnection(options)
  const explanation = await explainEndpoint({ client: connection.client, clock: systemClock, random: systemRandom() }, host, ip)
  process.stdout.write(formatExplanation(explanation))
}
