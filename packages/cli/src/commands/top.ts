import {
  amountMilliValue,
  approximateAmount,
  type Descriptor,
  isNotFound,
  isServiceUnavailable,
  isUnknownResource,
  type KubeObject,
  keyOf,
  parseQuantity,
} from "@pilothouse/api"
import { nodes, pods } from "@pilothouse/api/core/v1"
import { type NodeMetrics, nodeMetrics, podMetrics } from "@pilothouse/api/metrics/v1beta1"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { shownName } from "../client/find-resource.ts"
import { type Named, orNearest } from "../client/nearest-name.ts"
import { aligned } from "../client/table.ts"
import { labelSelector, nearHint } from "../flags/flag-values.ts"

interface TopOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean
  readonly selector?: string
}

type Usage = NodeMetrics["usage"]

export function addTopCommand(program: Command): void {
  addConnectionOptions(program.command("top <nodes|pods> [name]"))
    .description("CPU and memory of nodes or pods")
    .option("-A, --all-namespaces", "pods of every namespace")
    .option("-l, --selector <labels>", "only those with these labels", labelSelector("--selector"))
    .action(async (what: string, name: string | undefined, options: TopOptions) => {
      const about = readWhat(what)
      refuseContradictions(about, name, options)
      await using connection = await openConnection(options)
      const namespace = options.allNamespaces ? undefined : connection.namespace
      const which = { name, labelSelector: options.selector }
      const text = about === "nodes" ? topNodes(connection.client, which) : topPods(connection.client, { ...which, namespace })
      process.stdout.write(await text)
    })
}

/** As kubectl has them, and the short names. */
const words = { nodes: ["nodes", "node", "no"], pods: ["pods", "pod", "po"] } as const

function readWhat(what: string): keyof typeof words {
  for (const about of ["nodes", "pods"] as const) if (words[about].some((word) => word === what)) return about
  throw new PilothouseError("USAGE", `expected nodes or pods, found "${what}"${nearHint(what, ["nodes", "pods", "node", "pod"])}`)
}

function refuseContradictions(about: keyof typeof words, name: string | undefined, { selector, allNamespaces }: TopOptions): void {
  if (name !== undefined && selector !== undefined) throw new PilothouseError("USAGE", "expected a name or --selector, found both")
  if (name !== undefined && allNamespaces && about === "pods")
    throw new PilothouseError("USAGE", "expected a name or --all-namespaces, found both: a name is of one namespace")
}

/** Which ones; all, where nothing is said. */
interface Which {
  /** Undefined: of every namespace. */
  readonly namespace?: string
  readonly name?: string
  readonly labelSelector?: string
}

export async function topNodes(client: Client, which: Which = {}): Promise<string> {
  const [metrics, all] = await Promise.all([read(client, nodeMetrics, nodes, which), client.list(nodes)])
  const lines = metrics.map(({ metadata, usage }) => {
    const allocatable = all.items.find((node) => node.metadata.name === metadata.name)?.status?.allocatable
    const share = (name: "cpu" | "memory") => percent(of(usage, name), allocatable?.[name])
    return [metadata.name ?? "", cores(of(usage, "cpu")), share("cpu"), mebibytes(of(usage, "memory")), share("memory")]
  })
  return table(["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], lines)
}

/** Returns the table of what pods use; with a column of namespaces where none is named. */
export async function topPods(client: Client, which: Which): Promise<string> {
  const metrics = await read(client, podMetrics, pods, which)
  const withNamespace = which.namespace === undefined
  const lines = metrics.map(({ metadata, containers }) => {
    const sum = (name: "cpu" | "memory") => containers.reduce((total, { usage }) => total + approximate(of(usage, name)), 0)
    const usage = [`${Math.ceil(sum("cpu") * 1000)}m`, `${Math.ceil(sum("memory") / 2 ** 20)}Mi`]
    return [...(withNamespace ? [metadata.namespace ?? ""] : []), metadata.name ?? "", ...usage]
  })
  return table([...(withNamespace ? ["NAMESPACE"] : []), "NAME", "CPU(cores)", "MEMORY(bytes)"], lines)
}

function table(heading: readonly string[], lines: readonly (readonly string[])[]): string {
  return lines.length === 0 ? "No resources found.\n" : aligned([heading, ...lines])
}

function of(usage: Usage, name: "cpu" | "memory"): string {
  return String(usage[name] ?? "0")
}

async function read<T extends KubeObject>(
  client: Client,
  metrics: Descriptor<T>,
  measured: Descriptor,
  { namespace, name, labelSelector: labels }: Which,
): Promise<readonly T[]> {
  try {
    if (name !== undefined) return [await client.get(metrics, keyOf({ metadata: { name, namespace } }))]
    return (await client.list(metrics, { namespace, labelSelector: labels })).items
  } catch (error) {
    if (!isNotFound(error) && !isServiceUnavailable(error)) throw error
    if (name !== undefined && !isUnknownResource(error)) await refuseUnmeasured(client, { of: measured, name, namespace })
    throw new PilothouseError("INVALID", "expected the API metrics.k8s.io, found none in this cluster; install metrics-server", {
      cause: error,
    })
  }
}

/** What is not there is named with what may have been meant; what is there, and does not run, has nothing to tell. */
async function refuseUnmeasured(client: Client, named: Named): Promise<void> {
  const { name, namespace } = named
  await orNearest(client, named, client.get(named.of, keyOf({ metadata: { name, namespace } })))
  throw new PilothouseError(
    "INVALID",
    `expected metrics of ${shownName(named.of, name)}, found none: it does not run, or has not been measured yet`,
  )
}

function approximate(quantity: string): number {
  return approximateAmount(parseQuantity(quantity))
}

function cores(quantity: string): string {
  return `${amountMilliValue(parseQuantity(quantity))}m`
}

function mebibytes(quantity: string): string {
  return `${Math.ceil(approximate(quantity) / 2 ** 20)}Mi`
}

function percent(used: string, whole: string | undefined): string {
  return whole === undefined ? "<unknown>" : `${Math.floor((approximate(used) * 100) / approximate(whole))}%`
}
