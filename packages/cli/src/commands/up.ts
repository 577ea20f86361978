import { homedir, hostname } from "node:os"
import { join, resolve } from "node:path"
import { isServiceControllerSelected } from "@pilothouse/cloud"
import { type Log, PilothouseError } from "@pilothouse/seams"
import { systemClock, systemFiles, systemRandom, textLog } from "@pilothouse/seams/system"
import type { Command } from "commander"
import { ipAddress } from "../apiserver/address-flags.ts"
import { authorizationModesOf } from "../apiserver/warnings.ts"
import { kubeconfigOfEnvironment } from "../client/connection.ts"
import { openDataDirectory } from "../data-directory/data-directory.ts"
import { ownerSystem } from "../data-directory/directory-owner.ts"
import { discoveryPort, type EmbeddedCluster, oneAddress, startEmbeddedCluster } from "../embedded/cluster.ts"
import { execAsRoot, takeExecLock } from "../embedded/exec-lock.ts"
import { nodesText, simulatedNodeNames } from "../embedded/simulated-nodes.ts"
import { commaList, somePath, wholeNumber } from "../flags/flag-values.ts"
import { exportLine, writeKubeconfig } from "../kubeconfig/kubeconfig.ts"
import { mergeKubeconfig, publishRenewed } from "../kubeconfig/merge-kubeconfig.ts"
import { openStackLines, writeCloudFiles } from "../openstack/embedded-files.ts"
import { closeInheritedDescriptors } from "../process/inherited-descriptors.ts"
import { ownAddresses } from "../process/own-addresses.ts"
import { waitForStopSignal } from "../process/process.ts"
import { progressLine } from "../process/progress-line.ts"
import { checkControllers } from "../run/controllers/check-controllers.ts"
import { applyManifests, manifestsOf } from "./apply.ts"

interface UpOptions {
  readonly port?: number
  readonly bindAddress?: string
  readonly nodes: number
  readonly controllers?: readonly string[]
  readonly dataDir: string
  readonly ephemeral?: boolean
  readonly authorizationMode?: readonly string[]
  readonly exec?: boolean
  readonly openstack?: boolean
  readonly merge?: boolean
  readonly kubeconfig?: string
  readonly from?: readonly string[]
  readonly json?: boolean
}

export function addUpCommand(program: Command): void {
  program
    .command("up")
    .description("start a cluster in this process: API server, controllers, scheduler and simulated nodes")
    .option("--port <number>", "port of the API server (default: 6443, or the next free one)", wholeNumber("--port", 0, 65_535))
    .option(
      "--bind-address <address>",
      "address of the API server (default: 127.0.0.1); with another one, other machines reach it too",
      ipAddress("--bind-address"),
    )
    .option(
      "--nodes <number>",
      "simulated nodes to begin with: node-1, node-2 …; those of an earlier start stay",
      wholeNumber("--nodes", 0, 1000),
      3,
    )
    .option("--controllers <list>", 'which controllers: "*" all that are on by default, "x" that one, "*,-x" all but that one', commaList)
    .option(
      "--data-dir <path>",
      "where everything is kept: objects, certificates and the kubeconfig",
      somePath("--data-dir"),
      ".pilothouse",
    )
    .option("--ephemeral", "keep objects in memory only: a cluster that begins empty and is gone when it stops")
    .option(
      "--authorization-mode <modes>",
      "which user may do what, in this order: Node, RBAC, AlwaysAllow, AlwaysDeny (default: Node,RBAC)",
      commaList,
    )
    .option("--exec", "run pods whose image is `process` as real processes on this host; this is no sandbox")
    .option(
      "--openstack",
      "with an OpenStack in this process: pods are Neutron ports, Services Octavia load balancers; kept in memory only",
    )
    .option("--kubeconfig <path>", "where to write the kubeconfig (default: kubeconfig in the data directory)", somePath("--kubeconfig"))
    .option("--from <path...>", "files or directories of objects to apply when the cluster is up")
    .option("--json", "print what runs and where as one line of JSON, for programs")
    .option("--merge", "also put the cluster into ~/.kube/config and make it the current context")
    .action(up)
}

async function up(options: UpOptions): Promise<void> {
  const started = systemClock.elapsed()
  if (options.openstack && options.exec)
    throw new PilothouseError("USAGE", "expected one of --openstack and --exec, found both: real processes have addresses of this host")
  if (options.controllers !== undefined) checkControllers(options.controllers)
  const authorizationModes = authorizationModesOf(options.authorizationMode)
  // A wrong path is reported before anything is started.
  const manifests = await manifestsOf(options.from ?? [])
  // The cloud forgets what it has when it stops: ports that pods remember would not exist any more.
  const ephemeral = options.ephemeral || options.openstack
  using directory = openDataDirectory({ files: systemFiles, system: ownerSystem, path: resolve(options.dataDir), ephemeral })
  const log = textLog("warn", undefined, systemClock)
  if (options.exec) prepareExec(log)
  using _onlyOne = options.exec ? await takeExecLock(oneAddress, log) : undefined
  using progress = progressLine(process.stdout, { silent: options.json })
  const { own: kubeconfigPath, merged } = kubeconfigPaths(options, directory.path)
  await using cluster = await startEmbeddedCluster({
    kubeconfigRenewed: async (issued, after) => publishRenewed(systemFiles, [kubeconfigPath, ...merged], { issued, after, log }),
    progress: progress.step,
    dataDirectory: directory.path,
    port: options.port,
    bindAddress: options.bindAddress,
    addresses: options.bindAddress === undefined ? undefined : ownAddresses(),
    nodes: options.nodes,
    controllers: options.controllers,
    authorizationModes,
    ephemeral,
    isOwner: directory.isOwner,
    exec: options.exec,
    openstack: options.openstack,
    clock: systemClock,
    random: systemRandom(),
    files: systemFiles,
    log,
    hostname: hostname(),
  })
  const notes = [writeKubeconfig(systemFiles, kubeconfigPath, cluster.kubeconfig)]
  using _cloudFiles = cluster.openstack && writeCloudFiles(systemFiles, directory.path, cluster.openstack)
  for (const path of merged) notes.push(mergeKubeconfig(systemFiles, path, cluster.kubeconfig))
  progress.end()
  for (const note of notes.filter((text) => text !== undefined)) process.stderr.write(`pilothouse: ${note}\n`)
  const say = options.json ? () => {} : (line: string) => void process.stdout.write(`${line}\n`)
  await applyManifests(cluster.client, manifests, { namespace: "default" }, say).catch((error: unknown) => {
    if (!(error instanceof PilothouseError)) throw error
    throw new PilothouseError(error.code, `${error.message}\nThe cluster was stopped: mend what is in --from, and start it again`, {
      cause: error,
    })
  })
  directory.describeOwner([`A cluster is up there at ${cluster.url}:`, `  ${exportLine(kubeconfigPath)}`])
  const nodes = await simulatedNodeNames(cluster.client)
  const took = systemClock.elapsed() - started
  // A program that reads that it is up may stop it in the same moment.
  const stopped = waitForStopSignal(true, directory.lost)
  const summary = { ...cluster, nodes, kubeconfigPath, milliseconds: Math.round(took) }
  process.stdout.write(options.json ? facts(summary) : welcome(summary, options))
  await stopped
  if (!options.json) process.stdout.write("stopping\n")
}

/** Real processes are about to be started. */
function prepareExec(log: Log): void {
  closeInheritedDescriptors()
  if (process.getuid?.() === 0) log.warn(execAsRoot)
}

/** The file of its own, and those of others that the cluster is put into. */
function kubeconfigPaths(
  { kubeconfig, merge }: UpOptions,
  directory: string,
): { readonly own: string; readonly merged: readonly string[] } {
  const own = kubeconfig === undefined ? join(directory, "kubeconfig") : resolve(kubeconfig)
  return { own, merged: merge ? [join(homedir(), ".kube", "config")] : [] }
}

/** What is printed of a cluster that is up. */
interface UpSummary extends Pick<EmbeddedCluster, "url" | "port" | "controllers" | "discovery" | "discoveryDebug" | "openstack"> {
  /** Names of those that there are, earlier ones too. */
  readonly nodes: readonly string[]
  readonly kubeconfigPath: string
  readonly milliseconds: number
}

function facts({ url, kubeconfigPath, nodes, controllers, discovery, discoveryDebug, openstack, milliseconds }: UpSummary): string {
  const cloud = openstack && { openstack: openstack.authUrl }
  const summary = { server: url, kubeconfig: kubeconfigPath, nodes: nodes.length, controllers, discovery, discoveryDebug, ...cloud }
  return `${JSON.stringify({ ...summary, milliseconds })}\n`
}

function welcome(summary: UpSummary, options: UpOptions): string {
  const { url, port, kubeconfigPath, nodes, controllers, discovery, discoveryDebug, openstack, milliseconds } = summary
  const moved = options.port === undefined && port !== 6443 ? " (6443 is taken)" : ""
  const xdsMoved = discovery.endsWith(`:${discoveryPort}`) ? "" : ` (${discoveryPort} is taken)`
  const use = options.merge ? mergedLines(kubeconfigOfEnvironment()) : [`  ${exportLine(kubeconfigPath)}`]
  const hasBalancers = openstack === undefined && isServiceControllerSelected(options.controllers ?? ["*"])
  const balancers = hasBalancers ? ", load balancers on loopback addresses" : ""
  const cloud = openstack && openStackLines(openstack.authUrl, options.dataDir)
  return [
    `Pilothouse is up at ${url}${moved} after ${milliseconds} ms`,
    `  nodes  ${nodesText(nodes, options.nodes, options.exec)}`,
    `  runs   ${controllers} controllers, a scheduler, simulated kubelets${balancers}`,
    ...(cloud?.runs ?? []),
    `  xDS    ${discovery}${xdsMoved}: npx @pilothouse/cli discovery bootstrap --for grpc --server ${discovery}`,
    `         ${discoveryDebug}/debug: what each client has received`,
    "",
    ...use,
    ...(cloud?.next ?? [`  ${firstCommand()}`, "  kubectl get pods -w"]),
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n")
}

/** What to do to use it, where it was put into ~/.kube/config. */
export function mergedLines(environment: string | undefined): readonly string[] {
  if (environment === undefined) return ["kubectl uses it now: it is the current context of ~/.kube/config"]
  return ["It is the current context of ~/.kube/config, but kubectl reads $KUBECONFIG first:", "  unset KUBECONFIG"]
}

/** The example is there where it is started in a clone. */
function firstCommand(): string {
  const example = "examples/web.yaml"
  return systemFiles.read(example) === undefined
    ? "kubectl create deployment web --image=nginx --replicas=3"
    : `kubectl apply -f ${example}`
}
