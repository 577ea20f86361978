import { type Descriptor, type KubeObject, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { messageOf, PilothouseError, stringifyJson } from "@pilothouse/seams"
import { type Asked, shownName } from "../client/find-resource.ts"
import { yamlText } from "../client/kubectl-yaml.ts"
import { orNearest } from "../client/nearest-name.ts"
import { fetchTable, formatTable, type PrintOptions, type Table } from "../client/table.ts"
import type { GetOptions } from "./output.ts"

export type GetScope = GetOptions & { readonly namespace: string }

type Print = (text: string) => void

/** One that is not there does not hide the others, and is reported at the end. `printNote` is for people only, so that a note is not taken for the name of an object. */
export async function printAsked(
  client: Client,
  asked: readonly Asked[],
  options: GetScope,
  print: Print,
  printNote: Print = print,
): Promise<void> {
  const failures: unknown[] = []
  if (options.output === "yaml" || options.output === "json" || typeof options.output === "object")
    print(await documents(client, asked, options, failures))
  else await printTables(client, asked, options, { print, printNote, failures })
  if (failures.length > 0) throw together(failures)
}

/** Some are asked for one by one. */
function together(failures: readonly unknown[]): unknown {
  const words = [...new Set(failures.map(messageOf))]
  return words.length === 1 ? failures[0] : new PilothouseError("INVALID", words.join("\n"))
}

interface Ends {
  readonly print: Print
  readonly printNote: Print
  readonly failures: unknown[]
}

async function printTables(
  client: Client,
  asked: readonly Asked[],
  options: GetScope,
  { print, printNote, failures }: Ends,
): Promise<void> {
  const several = asked.length > 1
  const parts: string[] = []
  for (const { of, names } of asked) {
    const table = await tableOf(client, { of, names }, options, failures)
    if (table === undefined || (table.rows ?? []).length === 0) continue
    const prefix = several ? shownName(of, "") : ""
    if (options.output === "name")
      parts.push((table.rows ?? []).map(({ object }) => `${shownName(of, object.metadata.name ?? "")}\n`).join(""))
    else parts.push(formatTable(table, { ...printOptions(of, options), prefix }))
  }
  if (parts.length > 0) print(parts.join(options.output === "name" ? "" : "\n"))
  else if (failures.length === 0 && options.output !== "name") printNote(nothingFound(asked, options))
}

/** Undefined: none of those that were named is there. */
async function tableOf(client: Client, { of, names }: Asked, options: GetScope, failures: unknown[]): Promise<Table | undefined> {
  if (names.length === 0) return fetchTable(client, of, selectionOf(of, options))
  const namespace = namespaceFor(of, options)
  const tables = await found(
    names.map((name) => orNearest(client, { of, name, namespace, others: names }, fetchTable(client, of, { namespace, name }))),
    failures,
  )
  const [first] = tables
  return first && { columnDefinitions: first.columnDefinitions, rows: tables.flatMap(({ rows }) => rows ?? []) }
}

/** What came of those that were answered, and why of the others. */
async function found<T>(answers: readonly Promise<T>[], failures: unknown[]): Promise<readonly T[]> {
  const ends = await Promise.allSettled(answers)
  return ends.flatMap((end) => {
    if (end.status === "fulfilled") return [end.value]
    failures.push(end.reason)
    return []
  })
}

export function selectionOf(of: Descriptor, options: GetScope) {
  const namespace = options.allNamespaces ? undefined : namespaceFor(of, options)
  return { namespace, labelSelector: options.selector, fieldSelector: options.fieldSelector }
}

function namespaceFor({ namespaced }: Descriptor, { namespace }: GetScope): string | undefined {
  return namespaced ? namespace : undefined
}

/** One object as it is; several, or all of a kind, in a List. */
async function documents(client: Client, asked: readonly Asked[], options: GetScope, failures: unknown[]): Promise<string> {
  const all = await Promise.all(asked.map((one) => objectsOf(client, one, options, failures)))
  const items = all.flat().map((object) => shownObject(object, options))
  const single = asked.length === 1 && asked[0]!.names.length === 1
  if (single && items.length === 0) return ""
  const document = single ? items[0]! : { apiVersion: "v1", kind: "List" as const, items, metadata: { resourceVersion: "" } }
  if (typeof options.output === "object") return options.output.print(document)
  return options.output === "json" ? `${stringifyJson(document, 4)}\n` : yamlText(document)
}

/** As kubectl: who wrote which field is longer than the object, and for programs. */
export function shownObject(object: KubeObject, { showManagedFields = false, output }: GetScope): KubeObject {
  // A template shows what it names.
  if (showManagedFields || typeof output === "object") return object
  const { managedFields: _, ...metadata } = object.metadata
  return { ...object, metadata }
}

async function objectsOf(client: Client, { of, names }: Asked, options: GetScope, failures: unknown[]): Promise<readonly KubeObject[]> {
  if (names.length === 0) return Array.fromAsync(client.listAll(of, selectionOf(of, options)))
  const namespace = namespaceFor(of, options)
  return found(
    names.map((name) =>
      orNearest(client, { of, name, namespace, others: names }, client.get(of, keyOf({ metadata: { name, namespace } }))),
    ),
    failures,
  )
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
