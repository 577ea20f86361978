import { type Binding, nodes, type Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const topologyLabels = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"]

/** Gives a pod the region and the zone of its node as labels, when it is bound or created on one. */
export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  admit({ server, operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (group !== "" || plural !== "pods" || operation !== "CREATE" || !["", "binding"].includes(subresource)) return
    // The labels of a Binding become those of its pod.
    const labelled = object as Draft<Pod | Binding>
    const nodeName = subresource === "" ? ((object as Draft<Pod>).spec?.nodeName ?? "") : ((object as Draft<Binding>).target?.name ?? "")
    if (nodeName === "") return
    const labels = readObject(server.storage, server.registry.of(nodes), undefined, nodeName)?.metadata.labels ?? {}
    const copied = topologyLabels.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const]))
    if (copied.length > 0) labelled.metadata.labels = { ...labelled.metadata.labels, ...Object.fromEntries(copied) }
  },
}
