import { isServiceControllerSelected } from "@pilothouse/cloud"
import { systemFiles } from "@pilothouse/seams/system"
import { kubeconfigOfEnvironment } from "../client/connection.ts"
import { discoveryPort, type EmbeddedCluster } from "../embedded/cluster.ts"
import { nodesText } from "../embedded/simulated-nodes.ts"
import { exportLine } from "../kubeconfig/kubeconfig.ts"
import { openStackLines } from "../openstack/embedded-files.ts"

/** What is printed of a cluster that is up. */
export interface UpSummary extends Pick<EmbeddedCluster, "url" | "port" | "controllers" | "discovery" | "openstack"> {
  /** Names of those that there are, earlier ones too. */
  readonly nodes: readonly string[]
  readonly kubeconfigPath: string
  readonly milliseconds: number
}

/** The flags that change what is printed. */
export interface SummaryOptions {
  readonly port?: number
  readonly nodes: number
  readonly controllers?: readonly string[]
  readonly exec?: boolean
  readonly merge?: boolean
}

/** What `up --json` prints of a cluster, besides what is not there. */
export interface UpFacts {
  readonly server: string
  readonly kubeconfig: string
  readonly pid: number
  readonly milliseconds: number
}

/** Returns the line of `up --json`. */
export function factsLine({ url, kubeconfigPath, nodes, controllers, discovery, openstack, milliseconds }: UpSummary): string {
  const xds = discovery && { discovery: discovery.address, discoveryDebug: discovery.debugAddress }
  const cloud = openstack && { openstack: openstack.authUrl }
  const facts: UpFacts = { server: url, kubeconfig: kubeconfigPath, pid: process.pid, milliseconds }
  return `${JSON.stringify({ ...facts, nodes: nodes.length, controllers, ...xds, ...cloud })}\n`
}

/** Returns what a person reads when a cluster is up: where it is, what runs, and what to type next. */
export function welcome(summary: UpSummary, options: SummaryOptions, dataDirectory: string): string {
  const { url, port, kubeconfigPath, nodes, controllers, openstack, milliseconds } = summary
  const moved = options.port === undefined && port !== 6443 ? " (6443 is taken)" : ""
  const use = options.merge ? mergedLines(kubeconfigOfEnvironment()) : [`  ${exportLine(kubeconfigPath)}`]
  const hasBalancers = openstack === undefined && isServiceControllerSelected(options.controllers ?? ["*"])
  const balancers = hasBalancers ? ", load balancers on loopback addresses" : ""
  const cloud = openstack && openStackLines(openstack.authUrl, dataDirectory)
  return [
    `Pilothouse is up at ${url}${moved} after ${milliseconds} ms`,
    `  nodes  ${nodesText(nodes, options.nodes, options.exec)}`,
    `  runs   ${controllers} controllers, a scheduler, simulated kubelets${balancers}`,
    ...(cloud?.runs ?? []),
    ...discoveryLines(summary.discovery),
    "",
    ...use,
    ...(cloud?.next ?? [`  ${firstCommand()}`, "  kubectl get pods -w"]),
    "",
    "Ctrl-C stops it.",
    "",
  ].join("\n")
}

function discoveryLines(discovery: UpSummary["discovery"]): readonly string[] {
  if (discovery === undefined) return []
  const { address, debugAddress, isMoved } = discovery
  const moved = isMoved ? ` (${discoveryPort} is taken)` : ""
  return [
    `  xDS    ${address}${moved}: npx @pilothouse/cli discovery bootstrap --for grpc --server ${address}`,
    `         ${debugAddress}/debug: what each client has received`,
  ]
}

/** Returns what a person reads when a cluster runs in the background; `directory` are the flags that name it. */
export function backgroundWelcome({ server, kubeconfig, pid, milliseconds }: UpFacts, directory: string): string {
  return [
    `Pilothouse is up at ${server} after ${milliseconds} ms, in the background (process ${pid})`,
    "",
    `  ${exportLine(kubeconfig)}`,
    `  npx @pilothouse/cli status${directory}`,
    `  npx @pilothouse/cli down${directory}`,
    "",
  ].join("\n")
}

/** Returns how to use the cluster, where it was merged into ~/.kube/config. */
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
