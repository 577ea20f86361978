import { formatLabelSelector, type KubeObject, selectorFromLabels, selectorOf } from "@pilothouse/api"
import { type Pod, pods } from "@pilothouse/api/core/v1"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError, type Query, type Transport } from "@pilothouse/seams"
import type { Command } from "commander"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { findOne } from "../client/find-resource.ts"
import { orNearest } from "../client/nearest-name.ts"
import { printPodLog } from "../client/pod-log.ts"
import { shownCommand } from "../explain/explain-context.ts"
import { wholeNumber } from "../flags/flag-values.ts"
import { waitForStopSignal } from "../process/process.ts"

interface LogsOptions extends ConnectionOptions {
  readonly container?: string
  readonly follow?: boolean
  readonly previous?: boolean
  readonly tail?: number
  readonly timestamps?: boolean
}

export function addLogsCommand(program: Command): void {
  addConnectionOptions(program.command("logs <pod>"))
    .description("print what a pod logged")
    .option("-c, --container <name>", "one of its containers (default: the one it names as such, or the first)")
    .option("-f, --follow", "go on and print what comes, until Ctrl-C")
    .option("-p, --previous", "of the run before the last restart")
    .option("--tail <lines>", "only the last lines", wholeNumber("--tail", 0, 1_000_000))
    .option("--timestamps", "with the time of each line")
    .action(async (word: string, options: LogsOptions) => {
      await using connection = await openConnection(options)
      const pod = await podFor(connection.client, word, connection.namespace, connection.defaultNamespace)
      const notice = containerNotice(pod, options)
      if (notice !== undefined) process.stderr.write(notice)
      const printed = printLog(connection.transport, pod, options, (bytes) => process.stdout.write(bytes))
      await (options.follow ? Promise.race([printed, waitForStopSignal()]) : printed)
    })
}

/** A pod by its name, or the first of those that a Deployment, Job or the like selects. */
export async function podFor(client: Client, word: string, namespace: string, defaultNamespace?: string): Promise<Pod> {
  if (!word.includes("/")) return podNamed(client, word, namespace)
  const { of, name } = await findOne(client, [word])
  if (of.kind === "Pod") return podNamed(client, name, namespace)
  if (!of.namespaced) throw noLogs(word)
  const owner = await orNearest(client, { of, name, namespace }, client.get(of, `${namespace}/${name}`))
  const selector = podSelectorOf(owner)
  if (selector === undefined) throw noLogs(word)
  const [pod] = (await client.list(pods, { namespace, labelSelector: formatLabelSelector(selector) })).items
  if (pod !== undefined) return pod
  const explainCommand = shownCommand(`pilothouse explain ${word}`, namespace, defaultNamespace)
  throw new PilothouseError("INVALID", `expected a pod of ${word}, found none; ${explainCommand} may say why`)
}

function podNamed(client: Client, name: string, namespace: string): Promise<Pod> {
  return orNearest(client, { of: pods, name, namespace }, client.get(pods, `${namespace}/${name}`))
}

function noLogs(word: string): PilothouseError {
  return new PilothouseError(
    "USAGE",
    `expected a pod, or what has pods, such as web-1 or deployment/web, found ${word}, which prints no log`,
  )
}

/** Undefined: it has no pods. */
function podSelectorOf(owner: KubeObject) {
  const { selector } = ((owner as { readonly spec?: unknown }).spec ?? {}) as { readonly selector?: Record<string, never> }
  if (selector === undefined) return undefined
  const plain = Object.values(selector).every((value) => typeof value === "string")
  return plain ? selectorFromLabels(selector) : selectorOf(selector)
}

/** Prints the log of a container as it arrives; rejects with the server's words where it is refused. */
export function printLog(transport: Transport, pod: Pod, options: LogsOptions, print: (bytes: Uint8Array) => void): Promise<void> {
  const { name = "", namespace } = pod.metadata
  return printPodLog(transport, { name, namespace }, logQuery(pod, options), print)
}

function logQuery(pod: Pod, { container, follow, previous, timestamps, tail }: LogsOptions): Query {
  return {
    container: container ?? defaultContainer(pod),
    ...(follow && { follow: "true" }),
    ...(previous && { previous: "true" }),
    ...(timestamps && { timestamps: "true" }),
    ...(tail !== undefined && { tailLines: String(tail) }),
  }
}

const defaultContainerKey = "kubectl.kubernetes.io/default-container"

/** That which the pod names, as kubectl does it, or its first. */
function defaultContainer({ metadata, spec }: Pod): string {
  const names = (spec?.containers ?? []).map(({ name }) => name)
  const named = metadata.annotations?.[defaultContainerKey]
  return names.find((name) => name === named) ?? names[0] ?? ""
}

/** Returns which container's log is shown where a pod has several and none was chosen. */
export function containerNotice(pod: Pod, { container }: Pick<LogsOptions, "container">): string | undefined {
  const names = (pod.spec?.containers ?? []).map(({ name }) => name)
  if (container !== undefined || names.length < 2) return undefined
  return `Defaulted container "${defaultContainer(pod)}" out of: ${names.join(", ")}\n`
}
