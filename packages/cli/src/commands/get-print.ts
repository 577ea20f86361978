import { type Descriptor, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { stringify } from "yaml"
import { type Asked, shownName } from "../client/find-resource.ts"
import { fetchTable, formatTable, type PrintOptions, type Table } from "../client/table.ts"
import type { GetOptions } from "./get.ts"

export type GetScope = GetOptions & { readonly namespace: string }

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
    else parts.push(formatTable(table, { ...printOptions(of, options), prefix }))
  }
  print(parts.length > 0 ? parts.join(options.output === "name" ? "" : "\n") : nothingFound(asked, options))
}

async function tableOf(client: Client, { of, names }: Asked, options: GetScope): Promise<Table> {
  const selection = selectionOf(of, options)
  if (names.length === 0) return fetchTable(client, of, selection)
  const tables = await Promise.all(names.map((name) => fetchTable(client, of, { namespace: namespaceFor(of, options), name })))
  return { columnDefinitions: tables[0]!.columnDefinitions, rows: tables.flatMap(({ rows }) => rows ?? []) }
}

export function selectionOf(of: Descriptor, options: GetScope) {
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

export function printOptions(of: Descriptor, options: GetScope): PrintOptions {
  return {
    wide: options.output === "wide",
    withNamespace: options.allNamespaces === true && of.namespaced,
    withLabels: options.showLabels,
  }
}
