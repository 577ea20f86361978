import type { Node } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const

/** Taints a new node as not ready: the node lifecycle controller removes the taint once the node is. */
export const taintNodesByCondition: AdmissionPlugin = {
  name: "TaintNodesByCondition",
  admit({ operation, resource, subresource, object }) {
    const { group, plural } = resource.descriptor
    if (operation !== "CREATE" || group !== "" || plural !== "nodes" || subresource !== "") return
    const node = object as Draft<Node>
    const taints = node.spec?.taints ?? []
    if (taints.some(({ key, effect }) => key === taint.key && effect === taint.effect)) return
    node.spec = { ...node.spec, taints: [...taints, { ...taint }] }
  },
}
