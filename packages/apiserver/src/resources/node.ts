import type { Node } from "@pilothouse/api/core/v1"
import type { Special } from "./resource.ts"

export const node: Special<Node> = {
  defaults({ status }) {
    if (status?.capacity !== undefined && status.allocatable === undefined) status.allocatable = { ...status.capacity }
  },
  // A kubelet registers itself with what it has.
  keepsStatusOnCreate: true,
  statusChangesLabels: true,
  fields: { "spec.unschedulable": ({ spec }) => String(spec?.unschedulable ?? false) },
}
