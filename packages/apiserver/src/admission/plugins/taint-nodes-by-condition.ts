import type { Node } from "@pilothouse/api/core/v1"
import type { Draft } from "../../body/draft.ts"
import type { AdmissionPlugin } from "../plugin.ts"

const taint = { key: "node.kubernetes.io/not-ready", effect: "NoSchedule" } as const

/** Nothing is scheduled on a new node before the node lifecycle controller has seen that it is ready. */
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
