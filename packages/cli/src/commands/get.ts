import { type Descriptor, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { PilothouseError } from "@pilothouse/seams"
import type { Command } from "commander"
import { stringify } from "yaml"
import { addConnectionOptions, type ConnectionOptions, openConnection } from "../client/connection.ts"
import { type Asked, findAsked, refuseNonsense, shownName } from "../client/find-resource.ts"
import { fetchTable, formatTable, type Table } from "../client/table.ts"
import { watchTable } from "../client/watch-table.ts"
import { fieldSelector, labelSelector, oneOf } from "../flag-values.ts"
import { untilAskedToStop } from "../process.ts"

const formats = ["wide", "yaml", "json", "name"] as const

export interface GetOptions extends ConnectionOptions {
  readonly allNamespaces?: boolean
  readonly output?: (typeof formats)[number]
  readonly selector?: string
  readonly fieldSelector?: string
  readonly showLabels?: boolean
  readonly watch?: boolean
}

export function addGetCommand(program: Command): void {
  addConnectionOptions(program.command("get <resource...>"))
    .description("list objects, or show one: get pods, get deploy/web, get svc,pods -A")
    .option("-A, --all-namespaces", "in every namespace")
    .option("-o, --output <format>", `one of ${formats.join(", ")}`, oneOf("--output", formats))
    .option("-l, --selector <labels>", 'only those with these labels: "app=web,tier!=cache"', labelSelector("--selector"))
    .option("--field-selector <fields>", 'only those with these fields: "status.phase=Running"', fieldSelector("--field-selector"))
    .option("--show-labels", "with a column of their labels")
    .option("-w, --watch", "go on and print what changes, until Ctrl-C")
    .action(async (words: string[], options: GetOptions) => {
      refuseNonsense(words)
      await using connection = await openConnection(options)
      const print = (text: string) => process.stdout.write(text)
      const asked = await findAsked(connection.client, words)
      refuseContradictions(asked, options)
      await printAsked(connection.client, asked, { ...options, namespace: connection.namespace }, print)
      if (!options.watch) return
      const [one, ...more] = asked
      if (one === undefined || more.length > 0) throw new PilothouseError("USAGE", "expected one resource with --watch, found several")
      const scope = { ...selectionOf(one.of, { ...options, namespace: connection.namespace }), names: one.names }
      await Promise.race([watchTable(connection.client, one.of, scope, print), untilAskedToStop()])
    })
}

/** As kubectl: a name says already which one is meant. */
export function refuseContradictions(asked: readonly Asked[], options: Partial<GetOptions>): void {
  if (asked.every(({ names }) => names.length === 0)) return
  if (options.selector !== undefined || options.fieldSelector !== undefined)
    throw new PilothouseError("USAGE", "expected names or a selector, found both: name cannot be provided when a selector is specified")
  if (options.allNamespaces && asked.some(({ of, names }) => of.namespaced && names.length > 0))
    throw new PilothouseError(
      "USAGE",
      "expected a name or --all-namespaces, found both: a resource cannot be retrieved by name across all namespaces",
    )
}

type GetScope = GetOptions & { readonly namespace: string }

export async function printAsked(client: Client, asked: readonly Asked[], options: GetScope, print: (text: string) => void): Promise<void> {
  if (options.output === "yaml" || options.output === "json") return print(await documents(client, asked, options))
  const several = asked.length > 1
  const parts: string[] = []
  for (const { of, names } of asked) {
    const table = await tableOf(client, { of, names }, options)
    if ((table.rows ?? []).length === 0) continue
    const prefix = several ? shownName(of, "") : ""
    if (options.output === "name")
      parts.push((table.rows ?? []).map(({ object }) => `${shownName(of, object.metadata.name ?? "")}\n`).join(""))
    else
      parts.push(
        formatTable(table, {
          wide: options.output === "wide",
          withNamespace: options.allNamespaces === true && of.namespaced,
          withLabels: options.showLabels,
          prefix,
        }),
      )
  }
  print(parts.length > 0 ? parts.join(options.output === "name" ? "" : "\n") : nothingFound(asked, options))
}

async function tableOf(client: Client, { of, names }: Asked, options: GetScope): Promise<Table> {
  const selection = selectionOf(of, options)
  if (names.length === 0) return fetchTable(client, of, selection)
  const tables = await Promise.all(names.map((name) => fetchTable(client, of, { namespace: namespaceFor(of, options), name })))
  return { columnDefinitions: tables[0]!.columnDefinitions, rows: tables.flatMap(({ rows }) => rows ?? []) }
}

function selectionOf(of: Descriptor, options: GetScope) {
  const namespace = options.allNamespaces ? undefined : namespaceFor(of, options)
  return { namespace, labelSelector: options.selector, fieldSelector: options.fieldSelector }
}

function namespaceFor({ namespaced }: Descriptor, { namespace }: GetScope): string | undefined {
  return namespaced ? namespace : undefined
}

/** One object as it is; several, or all of a kind, in a List. */
async function documents(client: Client, asked: readonly Asked[], options: GetScope): Promise<string> {
  const found = await Promise.all(asked.map((one) => objectsOf(client, one, options)))
  const items = found.flat()
  const single = asked.length === 1 && asked[0]!.names.length === 1
  const document = single ? items[0] : { apiVersion: "v1", kind: "List", items, metadata: { resourceVersion: "" } }
  return options.output === "json" ? `${JSON.stringify(document, undefined, 4)}\n` : stringify(document)
}

async function objectsOf(client: Client, { of, names }: Asked, options: GetScope): Promise<readonly unknown[]> {
  if (names.length === 0) return Array.fromAsync(client.listAll(of, selectionOf(of, options)))
  const namespace = namespaceFor(of, options)
  return Promise.all(names.map((name) => client.get(of, keyOf({ metadata: { name, namespace } }))))
}

function nothingFound(asked: readonly Asked[], { namespace, allNamespaces }: GetScope): string {
  const where = asked.some(({ of }) => of.namespaced) && !allNamespaces ? ` in ${namespace} namespace` : ""
  return `No resources found${where}.\n`
}
