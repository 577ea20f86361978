import { type Descriptor, isNotFound, type KubeObject } from "@pilothouse/api"
import type { Client } from "@pilothouse/runtime"
import { fetchTable, formatTable } from "./table.ts"

export interface WatchScope {
  readonly namespace?: string
  readonly labelSelector?: string
  readonly fieldSelector?: string
  /** Only these; all, when there are none. */
  readonly names: readonly string[]
}

/** Prints a line for every change from now on, until the server ends the watch. */
export async function watchTable(
  client: Client,
  of: Descriptor,
  { names, ...scope }: WatchScope,
  print: (text: string) => void,
): Promise<void> {
  const { resourceVersion } = await client.list(of, { ...scope, limit: 1 })
  for await (const event of await client.watch(of, { ...scope, resourceVersion })) {
    if (event.type === "BOOKMARK" || event.type === "ERROR") continue
    const wanted = names.length === 0 || names.includes(event.object.metadata.name ?? "")
    if (wanted) print(await lineOf(client, of, event.object))
  }
}

/** As the server prints the object now: it knows the columns of every kind. One that is gone has its name only. */
async function lineOf(client: Client, of: Descriptor, { metadata }: KubeObject): Promise<string> {
  const { name = "", namespace } = metadata
  try {
    return formatTable(await fetchTable(client, of, { namespace, name }), { headings: false })
  } catch (error) {
    if (isNotFound(error)) return `${name}   deleted\n`
    throw error
  }
}
