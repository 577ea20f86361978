import { type Descriptor, isNotFound, type KubeObject, keyOf } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { type Clock, PilothouseError, stringifyJson } from "@pilothouse/seams"
import { type Asked, shownName } from "../client/find-resource.ts"
import { yamlText } from "../client/kubectl-yaml.ts"
import { type Difference, pollChanges, pollOnce } from "../client/poll-changes.ts"
import { aligned, fetchTable, formatTable, type Table } from "../client/table.ts"
import { seeAll, type Watched, watchChanges } from "../client/watch-changes.ts"
import { type GetScope, printAsked, printOptions, selectionOf, shownObject } from "./print.ts"

export interface WatchSeams {
  readonly print: (text: string) => void
  /** For people, not for programs that read what is printed; `print` by default. */
  readonly printNote?: (text: string) => void
  readonly clock: Clock
  /** Ends it. */
  readonly signal: AbortSignal
}

/** Prints the objects, and every change from then on, in the requested output format. */
export async function printAndWatch(client: Client, asked: readonly Asked[], options: GetScope, seams: WatchSeams): Promise<void> {
  const [one, ...more] = asked
  if (one === undefined || more.length > 0) throw new PilothouseError("USAGE", "expected one resource with --watch, found several")
  const { of, names } = one
  const { print, printNote, clock, signal } = seams
  const watched = { client, of, clock, scope: { ...selectionOf(of, options), names } }
  // Both look before the first lines are printed: what changes in between is rather shown twice than not at all.
  if (!of.verbs.includes("watch")) {
    const first = await pollOnce(watched)
    await printAsked(client, asked, options, print, printNote)
    return pollChanges(watched, first, async (difference) => print(await differenceText(watched, difference, options)), signal)
  }
  const from = await seeAll(watched)
  await printAsked(client, asked, options, print, printNote)
  await watchChanges(watched, from, async (object) => print(await changeText(client, of, object, options)), signal)
}

async function changeText(client: Client, of: Descriptor, object: KubeObject, options: GetScope): Promise<string> {
  const { name, namespace } = object.metadata
  if (isDocument(options)) return documentText(of, object, options)
  try {
    // As the server prints it now: it knows the columns of every kind.
    return rowsText(of, await fetchTable(client, of, { namespace, name }), options)
  } catch (error) {
    if (isNotFound(error)) return deletedText(of, object, options)
    throw error
  }
}

async function differenceText({ client, of, scope }: Watched, { changed, gone }: Difference, options: GetScope): Promise<string> {
  if (isDocument(options)) return [...changed, ...gone].map((object) => documentText(of, object, options)).join("")
  const { names: _, ...selection } = scope
  const keys = new Set(changed.map(keyOf))
  const table = keys.size === 0 ? undefined : await fetchTable(client, of, selection)
  const rows = table?.rows?.filter(({ object }) => keys.has(keyOf(object)))
  const shown = table === undefined ? "" : rowsText(of, { ...table, rows }, options)
  return [shown, ...gone.map((object) => deletedText(of, object, options))].join("")
}

/** Reports whether the object itself is printed, and not the columns that the server has for it. */
function isDocument({ output }: GetScope): boolean {
  return output === "json" || output === "yaml" || output === "name" || typeof output === "object"
}

function documentText(of: Descriptor, object: KubeObject, options: GetScope): string {
  const { output } = options
  const shown = shownObject(object, options)
  if (typeof output === "object") return output.print(shown, false)
  if (output === "json") return `${stringifyJson(shown, 4)}\n`
  return output === "yaml" ? `---\n${yamlText(shown)}` : `${shownName(of, object.metadata.name ?? "")}\n`
}

function rowsText(of: Descriptor, table: Table, options: GetScope): string {
  return formatTable(table, { ...printOptions(of, options), headings: false })
}

function deletedText(of: Descriptor, { metadata: { name = "", namespace = "" } }: KubeObject, options: GetScope): string {
  return aligned([[...(printOptions(of, options).withNamespace ? [namespace] : []), name, "deleted"]])
}
