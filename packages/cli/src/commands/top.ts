import { amountMilliValue, approximateAmount, isNotFound, isServiceUnavailable, parseQuantity } from "@pilothouse/api"
import { nodes } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { aligned } from "../client/table.ts"

interface TopOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean
}

interface Usage {
  readonly cpu: string
  readonly memory: string
}

interface MetricsList<T> {
  readonly items: readonly T[]
}
type NodeMetrics = { readonly metadata: { readonly name: string }; readonly usage: Usage }
type PodMetrics = {
  readonly metadata: { readonly name: string; readonly namespace: string }
  readonly containers: readonly { readonly usage: Usage }[]
}

export function addTopCommand(program: Command): void {
  addConnectionOptions(program.command("top <nodes|pods>"))
    .description("what nodes or pods use of CPU and memory")
    .option("-A, --all-namespaces", "pods of every namespace")
    .action(async (what: string, options: TopOptions) => {
      const about = readWhat(what)
      await using connection = await openConnection(options)
      const namespace = options.allNamespaces ? undefined : connection.namespace
      process.stdout.write(await (about === "nodes" ? topNodes(connection.client) : topPods(connection.client, namespace)))
    })
}

function readWhat(what: string): "nodes" | "pods" {
  if (/^(no|nodes?)$/.test(what)) return "nodes"
  if (/^(po|pods?)$/.test(what)) return "pods"
  throw new PilothouseError("USAGE", `expected nodes or pods, found "${what}"`)
}

export async function topNodes(client: Client): Promise<string> {
  const [metrics, all] = await Promise.all([read<NodeMetrics>(client, "/nodes"), client.list(nodes)])
  const lines = metrics.map(({ metadata, usage }) => {
    const allocatable = all.items.find((node) => node.metadata.name === metadata.name)?.status?.allocatable
    const share = (name: "cpu" | "memory") => percent(usage[name], allocatable?.[name])
    return [metadata.name, cores(usage.cpu), share("cpu"), mebibytes(usage.memory), share("memory")]
  })
  return aligned([["NAME", "CPU(cores)", "CPU(%)", "MEMORY(bytes)", "MEMORY(%)"], ...lines])
}

export async function topPods(client: Client, namespace: string | undefined): Promise<string> {
  const metrics = await read<PodMetrics>(client, namespace === undefined ? "/pods" : `/namespaces/${namespace}/pods`)
  const lines = metrics.map(({ metadata, containers }) => {
    const sum = (name: "cpu" | "memory") => containers.reduce((total, { usage }) => total + approximate(usage[name]), 0)
    const usage = [`${Math.ceil(sum("cpu") * 1000)}m`, `${Math.ceil(sum("memory") / 2 ** 20)}Mi`]
    return [...(namespace === undefined ? [metadata.namespace] : []), metadata.name, ...usage]
  })
  const heading = [...(namespace === undefined ? ["NAMESPACE"] : []), "NAME", "CPU(cores)", "MEMORY(bytes)"]
  return lines.length === 0 ? "No resources found.\n" : aligned([heading, ...lines])
}

async function read<T>(client: Client, path: string): Promise<readonly T[]> {
  try {
    return ((await client.request({ verb: "GET", path: `/apis/metrics.k8s.io/v1beta1${path}` })) as MetricsList<T>).items
  } catch (error) {
    if (!isNotFound(error) && !isServiceUnavailable(error)) throw error
    throw new PilothouseError("INVALID", "expected the API metrics.k8s.io, found none in this cluster; install metrics-server", {
      cause: error,
    })
  }
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
