import { nodes, type Pod } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import { readObject } from "../../registry/object-key.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const topologyLabels = ["topology.kubernetes.io/region", "topology.kubernetes.io/zone"]

/** Gives a pod the region and the zone of its node as labels, when it is bound or created on one. */
export const podTopologyLabels: AdmissionPlugin = {
  name: "PodTopologyLabels",
  admit({ server, operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (group !== "" || plural !== "pods" || !(operation === "CREATE" ? subresource === "" : subresource === "binding")) return
    const pod = object as Draft<Pod>
    const nodeName = pod.spec?.nodeName ?? ""
    if (nodeName === "") return
    const labels = readObject(server.storage, server.registry.of(nodes), undefined, nodeName)?.metadata.labels ?? {}
    const copied = topologyLabels.flatMap((key) => (labels[key] === undefined ? [] : [[key, labels[key]] as const]))
    if (copied.length > 0) pod.metadata.labels = { ...pod.metadata.labels, ...Object.fromEntries(copied) }
  },
}
