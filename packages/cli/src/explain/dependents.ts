import { type Descriptor, type KubeObject, pathOf } from "@pilothouse/api"
import { daemonSets, deployments, replicaSets, statefulSets } from "@pilothouse/api/apps/v1"
import { cronJobs, jobs } from "@pilothouse/api/batch/v1"
import { configMaps, persistentVolumeClaims, pods, replicationControllers, secrets, services } from "@pilothouse/api/core/v1"
import { descriptorFor } from "@pilothouse/api/descriptors"
import { endpointSlices } from "@pilothouse/api/discovery/v1"
import type { Client } from "@pilothouse/runtime"
import { fetchTable, formatTable, type Table } from "../client/table.ts"

/** What the objects of a kind are looked after through. */
const ownedKinds: ReadonlyMap<string, readonly Descriptor[]> = new Map([
  [deployments.kind, [replicaSets]],
  [replicaSets.kind, [pods]],
  [replicationControllers.kind, [pods]],
  [daemonSets.kind, [pods]],
  [statefulSets.kind, [pods, persistentVolumeClaims]],
  [jobs.kind, [pods]],
  [cronJobs.kind, [jobs]],
  ["Service", [endpointSlices]],
])

/** What operators make for their custom objects. */
const operatorKinds: readonly Descriptor[] = [
  deployments,
  statefulSets,
  daemonSets,
  cronJobs,
  jobs,
  pods,
  services,
  configMaps,
  secrets,
  persistentVolumeClaims,
]

export interface Dependents {
  readonly title: string
  readonly table: string
  /** Those of the table, where it is one of pods. */
  readonly pods: readonly string[]
}

/** Owned objects, and what they own in turn, as the server prints them. */
export async function dependentsOf(client: Client, object: KubeObject): Promise<readonly Dependents[]> {
  return below(client, object.metadata.namespace, kindsOwnedBy(object), new Set([object.metadata.uid ?? ""]))
}

function kindsOwnedBy({ apiVersion, kind }: KubeObject): readonly Descriptor[] {
  const [version = "", group = ""] = apiVersion.split("/").reverse()
  return descriptorFor({ group, version, kind }) === undefined ? operatorKinds : (ownedKinds.get(kind) ?? [])
}

async function below(
  client: Client,
  namespace: string | undefined,
  kinds: readonly Descriptor[],
  owners: ReadonlySet<string>,
): Promise<readonly Dependents[]> {
  const found = await Promise.all(
    kinds.map(async (of) => {
      const table = ownedRows(await fetchTable(client, of, { namespace }), owners)
      const rows = table.rows ?? []
      if (rows.length === 0) return []
      const uids = new Set(rows.map(({ object }) => object.metadata.uid ?? ""))
      const title = pathOf(of).split("/").at(-1)!
      return [
        {
          title: `Its ${title}`,
          table: formatTable(table),
          pods: of.kind === pods.kind ? rows.map(({ object }) => object.metadata.name ?? "") : [],
        },
        ...(await below(client, namespace, ownedKinds.get(of.kind) ?? [], uids)),
      ]
    }),
  )
  return found.flat()
}

function ownedRows({ rows, ...table }: Table, owners: ReadonlySet<string>): Table {
  const owned = (rows ?? []).filter(({ object }) => (object.metadata.ownerReferences ?? []).some(({ uid }) => owners.has(uid)))
  return { ...table, rows: owned }
}
