import type { Node } from "@pilothouse/api/core/v1"
import { nodeErrors, nodeStatusErrors, nodeUpdateErrors } from "../validation/node.ts"
import type { ResourceStrategy } from "./resource.ts"

export const node: ResourceStrategy<Node> = {
  defaults({ spec, status }) {
    if (status?.capacity !== undefined && status.allocatable === undefined) status.allocatable = { ...status.capacity }
    if (spec === undefined) return
    // One address block by two names, as of the time before there could be two.
    if ((spec.podCIDRs ?? []).length === 0 && (spec.podCIDR ?? "") !== "") spec.podCIDRs = [spec.podCIDR!]
    if ((spec.podCIDR ?? "") === "" && spec.podCIDRs?.[0] !== undefined) spec.podCIDR = spec.podCIDRs[0]
  },
  // A kubelet registers itself with what it has.
  keepsStatusOnCreate: true,
  fields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
  validate: nodeErrors,
  validateUpdate: ({ spec }, { spec: old }) => nodeUpdateErrors(spec, old),
  validateStatusUpdate: ({ status }) => nodeStatusErrors(status),
}
