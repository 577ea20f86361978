import { PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { askedHost } from "../discovery/asked-host.ts"
import { explainEndpoint, formatExplanation } from "../discovery/explain-endpoint.ts"
import { type BootstrapFlags, hostAndPort, printedBootstrap } from "../discovery/print-bootstrap.ts"
import { addRegistryFlags, type RegistryFlags, registrySettings } from "../discovery/registry-flags.ts"
import { serveClusters } from "../discovery/serve-clusters.ts"
import { addServeFlags } from "../discovery/serve-flags.ts"
import { type WatchFlags, watchDiscovery } from "../discovery/watch.ts"
import { oneOf, somePath } from "../flags/flag-values.ts"
import { waitForStopSignal } from "../process/process.ts"

export function addDiscoveryCommand(program: Command): void {
  const command = addServeFlags(
    program
      .command("discovery")
      .description("serve Services and their endpoints as xDS for Envoy and gRPC clients")
      .enablePositionalOptions(),
  ).action(serveClusters)
  command
    .command("bootstrap")
    .description("print the bootstrap of a client")
    .requiredOption("--for <client>", "grpc or envoy", oneOf("--for", ["grpc", "envoy"]))
    .option("--server <address>", "where the xDS server is", "127.0.0.1:15010")
    .option("-n, --namespace <name>", "the client's namespace", someName("--namespace"), "default")
    .option("--node-id <id>", "who the client is (default: made from the namespace)", someName("--node-id"))
    .option("--locality <region/zone>", "where it is, unless its pod says so; region alone and region/zone/subzone too")
    .option("--network <name>", "the network that the client is in, where gateways join several", someName("--network"))
    .option(
      "--certificate-authority <path>",
      "where the client has the server's authority (PEM); plain without it",
      somePath("--certificate-authority"),
    )
    .option(
      "--client-certificate <path>",
      "where it has its own certificate (PEM), for a server with --client-ca-file",
      somePath("--client-certificate"),
    )
    .option("--client-key <path>", "where it has the key of that (PEM)", somePath("--client-key"))
    .option("--token-file <path>", "where it has its service-account token, for any other server with TLS", somePath("--token-file"))
    .action((flags: BootstrapFlags) => void process.stdout.write(printedBootstrap(flags)))
  command
    .command("watch <host>")
    .description("follow a host as a client does, and print what changes")
    .option("--server <address>", "where the xDS server is", "127.0.0.1:15010")
    .option("-n, --namespace <name>", "the client's namespace", someName("--namespace"), "default")
    .option("--certificate-authority <path>", "authority of the server (PEM); plain without it", somePath("--certificate-authority"))
    .option("--client-certificate <path>", "a certificate to show (PEM)", somePath("--client-certificate"))
    .option("--client-key <path>", "its key (PEM)", somePath("--client-key"))
    .option("--token-file <path>", "a service-account token to show", somePath("--token-file"))
    .action(watch)
  addRegistryFlags(addConnectionOptions(command.command("explain <host> [ip]")))
    .description("why clients receive an endpoint, or not")
    .action(explainHost)
}

/** An empty one is a variable of the shell that is not set: a client without an id is rejected. */
function someName(flag: string): (text: string) => string {
  return (text) => {
    if (text.trim() !== "") return text
    throw new PilothouseError("USAGE", `expected a name for ${flag}, found nothing`)
  }
}

async function watch(host: string, flags: WatchFlags): Promise<void> {
  hostAndPort(flags.server)
  const stop = new AbortController()
  const asked = waitForStopSignal().then(() => stop.abort())
  const seams = {
    clock: systemClock,
    log: textLog("info", undefined, systemClock),
    files: systemFiles,
    print: (line: string) => void process.stdout.write(`${line}\n`),
  }
  await Promise.race([watchDiscovery(host, flags, seams, stop.signal), asked])
}

async function explainHost(host: string, ip: string | undefined, options: ConnectionOptions & RegistryFlags): Promise<void> {
  // Reported before a kubeconfig is read: the fault is in the command line.
  askedHost(host, ip)
  await using connection = await openConnection(options)
  const where = options.kubeconfig === undefined ? connection.server : `${connection.server} (${options.kubeconfig})`
  const seams = { client: connection.client, clock: systemClock, random: systemRandom(), where }
  const explanation = await explainEndpoint({ ...seams, reading: registrySettings(options) }, host, ip)
  process.stdout.write(formatExplanation(explanation))
}
