import type { ApiClient } from "../api-client.ts"

/** Writes of the two controllers as the API server itself counts them, by what was written: "PUT daemonsets/status". */
export type Writes = ReadonlyMap<string, number>

const counted = /^apiserver_request_total\{(?<labels>[^}]*)\} (?<count>\d+)/
const resources = ["daemonsets", "statefulsets", "controllerrevisions", "persistentvolumeclaims", "persistentvolumes", "pods"]

export async function countWrites(client: ApiClient): Promise<Writes> {
  const { value } = await client.send({ verb: "GET", path: "/metrics" })
  const writes = new Map<string, number>()
  for (const line of String(value).split("\n")) {
    const { labels, count } = counted.exec(line)?.groups ?? {}
    if (labels === undefined) continue
    const of = Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name, text]) => [name, text]))
    if (!isOfControllers(of)) continue
    const what = `${of.verb} ${of.resource}${of.subresource ? `/${of.subresource}` : ""}`
    writes.set(what, (writes.get(what) ?? 0) + Number(count))
  }
  return writes
}

/** Pods are bound by the scheduler, and their status is the kubelet's. */
function isOfControllers({ verb = "", resource = "", subresource = "", code = "" }: Readonly<Record<string, string>>): boolean {
  if (!["POST", "PUT", "PATCH", "DELETE"].includes(verb) || !resources.includes(resource) || !code.startsWith("2")) return false
  return resource === "pods" ? subresource === "" && verb !== "DELETE" : true
}

/** What was written between two counts. */
export function difference(before: Writes, after: Writes): Writes {
  const rows = [...after].map(([what, count]) => [what, count - (before.get(what) ?? 0)] as const)
  return new Map(rows.filter(([, count]) => count > 0))
}

export function describe(writes: Writes): string {
  const total = [...writes.values()].reduce((sum, count) => sum + count, 0)
  const rows = [...writes].sort(([a], [b]) => (a < b ? -1 : 1)).map(([what, count]) => `${count} × ${what}`)
  return `${total} writes: ${rows.join(", ")}`
}
