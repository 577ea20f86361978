import { deepEqual, keyOf } from "@pilothouse/api"
import { type ConfigMap, configMaps, type Namespace, namespaces } from "@pilothouse/api/core/v1"
import { controller, index, plan, watch } from "@pilothouse/runtime"

/** An annotation of copies: the key of what they were copied from. */
const copiedFrom = "config-copier.example.com/from"
const isActive = (namespace: Namespace) => namespace.metadata.deletionTimestamp === undefined
const isSource = (map?: ConfigMap) => map?.metadata.labels?.["copy-to-all"] === "true"

const sources = index(configMaps, "sources", (map) => (isSource(map) ? ["all"] : []))
const copies = index(configMaps, "copies", (map) => [map.metadata.annotations?.[copiedFrom] ?? []].flat())

/** Copies ConfigMaps labelled copy-to-all=true into every namespace, keeps the copies true, and removes them with the label. */
export const configCopier = controller("config-copier", {
  for: configMaps,
  watches: [
    watch(configMaps, "a copy changed", (map) => copies.values(map)),
    watch(namespaces, "a namespace came or went", (_namespace, read) => read.byIndex(sources, "all").map(keyOf)),
  ],
  indexes: [sources, copies],
  observe: (key, read) => {
    const source = read.get(configMaps, key)
    const others = read.list(namespaces).filter(({ metadata }) => metadata.name !== source?.metadata.namespace)
    const wanted = isSource(source) ? others.filter(isActive).map(keyOf) : []
    return { key, name: source?.metadata.name, data: source?.data, wanted, copies: read.byIndex(copies, key) }
  },
  decide: ({ key, name, data, wanted, copies }) => {
    const made = plan()
    for (const namespace of wanted) {
      const copy = copies.find(({ metadata }) => metadata.namespace === namespace)
      const fresh = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace, annotations: { [copiedFrom]: key } }, data }
      // A ConfigMap of that name which is no copy belongs to another owner.
      if (copy === undefined) made.create(fresh, `${namespace} has none`, { tolerate: ["AlreadyExists"] })
      else if (!deepEqual(copy.data, data)) made.update({ ...copy, data }, `it is not what ${key} is`)
    }
    const surplus = copies.filter(({ metadata }) => !wanted.includes(metadata.namespace ?? ""))
    for (const copy of surplus) made.delete(copy, `${key} is not to be copied there`)
    return made.steps.length > 0 ? made : made.nothing(`${copies.length} copies are as they should be`)
  },
})
